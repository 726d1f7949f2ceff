import { APPS } from './apps';
import { urlOfRunningApp } from './running-app';

/**
 * The time limit of a request that only reads. An app waits at most 15 s for another app. The limit is longer, so that the answer of the first
 * app arrives and says that the other app hangs.
 */
const READ_TIMEOUT_MS = 18_000;
/** The time limit of a request that changes something. A test of an endpoint, for example, waits up to 20 s for the partner's server. */
const CHANGE_TIMEOUT_MS = 30_000;
/**
 * The time limit of a request for a story. The app that answers the request waits at most 6 s for another app. So even if the other app hangs,
 * an answer arrives: a story without the data of that app, or an error.
 */
export const STORY_TIMEOUT_MS = 8_000;

export const WHEN_IT_FAILS = 'docs/on-call.md, section 9, says how to find the cause.';

/** The settings of a request. */
export interface RequestOptions {
  /** The time limit of the whole answer, including its body. The default depends on whether the request only reads. */
  readonly timeoutMs?: number;
  /** The app that gets the request. By default, the app to which the edge routes the path. */
  readonly app?: string;
  /** Whether the caller reads the body piece by piece. By default, the answer is returned only when its body has arrived. */
  readonly isStreamed?: boolean;
}

/** There was no answer, or no complete one. */
class NoAnswerError extends Error {}

/** @throws NoAnswerError with the URL, the cause and the next steps when there is no complete answer */
export async function fetchOrExplain(
  request: Request,
  { timeoutMs, app, isStreamed = false }: RequestOptions = {},
): Promise<Response> {
  const limitMs = timeoutMs ?? (request.method === 'GET' ? READ_TIMEOUT_MS : CHANGE_TIMEOUT_MS);
  const receiver = app ?? appOf(request.url);
  const deadline = new AbortController();
  const expired = timedOut(request, limitMs, receiver);
  setTimeout(() => deadline.abort(expired), limitMs).unref();
  try {
    const response = await fetch(request, { signal: deadline.signal });
    if (isStreamed || response.body === null) return response;
    const complete = new Response(await response.arrayBuffer(), response);
    // A new response has no URL. The explanation of an error needs it.
    return Object.defineProperty(complete, 'url', { value: response.url });
  } catch (error) {
    if (error === expired) throw error;
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
    throw noAnswer(request, cause?.code ?? cause?.message ?? message, receiver, error);
  }
}

function timedOut(request: Request, limitMs: number, app: string | undefined): NoAnswerError {
  const effect = request.method === 'GET' ? '' : '; it may take effect nevertheless, so check before you repeat it';
  return noAnswer(request, `no complete answer within ${limitMs / 1_000} s${effect}`, app);
}

function noAnswer({ method, url }: Request, what: string, app: string | undefined, cause?: unknown): NoAnswerError {
  const whose = app === undefined ? [] : [` (${app} answers this path)`, `\n${checkOf(app, url)}`];
  return new NoAnswerError(`${method} ${url}: ${what}${whose.join('')}\n${WHEN_IT_FAILS}`, { cause });
}

/** Returns the lines that say how to check the app that answered a request with 503, and the apps that this app calls. */
export function checksOf(requestUrl: string): string[] {
  const app = requestUrl === '' ? undefined : appOf(requestUrl);
  if (app === undefined) return [];
  const called = APPS.filter(({ callers = {} }) => app in callers).map(({ name }) => name);
  return [app, ...called].map((name) => checkOf(name, requestUrl));
}

function checkOf(app: string, requestUrl: string): string {
  const command = checkCommand(urlOfRunningApp(app, requestUrl));
  return `Check whether ${app} runs: ${command ?? `see ${HOW_TO_CHECK}`}`;
}

/** The page of the docs with the commands that check an app of a stack on another machine. */
export const HOW_TO_CHECK = 'docs/operations/app-down.md';

/** Returns the command that checks whether the app at this URL runs; undefined without a URL. */
export const checkCommand = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : `curl -i --max-time 5 ${url}/readyz`;

/** Returns the app to which the edge routes a URL; undefined if there is none. */
function appOf(url: string): string | undefined {
  const path = `${new URL(url).pathname}/`;
  return APPS.find(({ routes = [] }) => routes.some(({ prefix }) => path.startsWith(`${prefix}/`)))?.name;
}
