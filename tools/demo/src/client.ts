import type { Narrator } from './narrator';

/** An answer. `body` is the parsed JSON, or an empty object when the answer is not JSON; `text` is the raw body. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export interface Call {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Suppresses the printing of the request and of the answer, for example while the demo polls. */
  silent?: boolean;
}

const TIMEOUT_MS = 30_000;

/** The headers that are printed with an answer, because they matter to the caller. */
const TELLING_HEADERS = ['RateLimit', 'Retry-After', 'Idempotency-Replayed', 'WWW-Authenticate', 'ETag'];

const COUPON_CODE = /^(?:[A-Z2-9]{4}-){3}[A-Z2-9]{4}$/;

/** How many entries of a list are printed if the list has more than three entries. */
const LISTED = 2;

/** How many characters of a secret are printed, by the name of its field. Default: 12 */
const SHOWN_OF_SECRET: Record<string, number> = { couponCode: 4, ssn: 0 };

/** Sends requests and prints them. The token of a request is not printed, and secrets in bodies are abbreviated. */
export class Client {
  constructor(private readonly narrator: Narrator) {}

  /** Sends a request, and returns its answer. @throws Error that names the URL when there is no answer */
  async call(method: string, url: string, { token, body, headers = {}, silent = false }: Call = {}): Promise<Answer> {
    if (!silent) this.narrator.sent(`${method} ${url}${inBrackets(Object.entries(headers))}`, redact(body));
    const answer = await send(
      method,
      url,
      {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      typeof body === 'string' ? body : JSON.stringify(body),
    );
    if (!silent) this.narrator.received(`${answer.status}${inBrackets(tellingHeaders(answer))}`, contentOf(answer));
    return answer;
  }
}

async function send(method: string, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  try {
    const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text), text };
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    throw new Error(`${method} ${url} got no answer: ${cause?.code ?? (error as Error).message}`, { cause: error });
  }
}

const inBrackets = (headers: [string, string][]): string =>
  headers.length === 0 ? '' : ` [${headers.map(([name, value]) => `${name}: ${value}`).join(', ')}]`;

const tellingHeaders = ({ headers }: Answer): [string, string][] =>
  TELLING_HEADERS.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });

function contentOf(answer: Answer): unknown {
  if (isHtml(answer)) return 'a page';
  return answer.text === '' ? undefined : redact(answer.body);
}

const isHtml = ({ headers }: Answer): boolean => headers.get('content-type')?.includes('text/html') ?? false;

function parse(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Abbreviates secrets, codes, long texts and lists. */
function redact(value: unknown): unknown {
  if (typeof value === 'string') {
    if (COUPON_CODE.test(value)) return `${value.slice(0, 5)}…`;
    return value.length > 160 ? `${value.slice(0, 120)}… (${value.length} characters)` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const listed = value.slice(0, value.length > LISTED + 1 ? LISTED : value.length).map(redact);
    return listed.length === value.length ? listed : [...listed, `… ${value.length - listed.length} more`];
  }
  const secret = /^(token|userToken|key|signingSecret|couponCode|ssn)$/;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      secret.test(name) && typeof entry === 'string'
        ? `${entry.slice(0, SHOWN_OF_SECRET[name] ?? 12)}…`
        : redact(entry),
    ]),
  );
}
