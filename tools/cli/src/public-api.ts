import createClient, { type Client } from 'openapi-fetch';
import type { paths as ManagerPaths } from './generated/manager-api';
import type { paths as SupportPaths } from './generated/support-api';
import { findStack, readStack, type Stack } from '@tandem/stack-client';
import { urlOfRunningApp } from './running-app';
import { checksOf, fetchOrExplain, type RequestOptions, WHEN_IT_FAILS } from './requests';
import { UsageError } from './usage.errors';

export type ManagerApi = Client<ManagerPaths>;
export type SupportApi = Client<SupportPaths>;

/** The options with the URL of a public API and the token for it. */
export interface ApiOptions {
  readonly 'base-url'?: string;
  readonly token?: string;
}

/**
 * Returns the options of commands that use a public API.
 *
 * @param variable the environment variable with the token, for use without --token
 */
export const apiOptions = (variable: string, scope: string) =>
  ({
    'base-url': {
      type: 'string',
      describe: 'The URL of another stack (TANDEM_BASE_URL); default: the one that npm start runs',
    },
    token: { type: 'string', describe: `A token with the scope ${scope} (${variable})` },
  }) as const;

/** @param request the time limit, and whether the answer is streamed */
export const managerApi = (options: ApiOptions, request: RequestOptions = {}): ManagerApi =>
  createClient<ManagerPaths>({
    ...addressAndToken(options, 'TANDEM_MANAGER_TOKEN', ({ partners }) => partners.manager.token),
    fetch: (sent) => fetchOrExplain(sent, request),
  });

/** @param request as for {@link managerApi} */
export const supportApi = (options: ApiOptions, request: RequestOptions = {}): SupportApi =>
  createClient<SupportPaths>({
    ...addressAndToken(options, 'TANDEM_SUPPORT_TOKEN', ({ support }) => support.token),
    fetch: (sent) => fetchOrExplain(sent, request),
  });

function addressAndToken(options: ApiOptions, variable: string, tokenOf: (stack: Stack) => string) {
  const { baseUrl, token } = addressOf(options, variable, tokenOf);
  return { baseUrl, headers: { authorization: `Bearer ${token}` } };
}

/**
 * Returns a function that gives the URLs of the apps of one stack: the stack to which commands with these options send their requests. The
 * function returns undefined if that stack does not run on this machine.
 */
export function urlsOfApps(options: ApiOptions): (app: string) => string | undefined {
  const baseUrl = givenBaseUrl(options) ?? findStack()?.baseUrl;
  return (app) => (baseUrl === undefined ? undefined : urlOfRunningApp(app, baseUrl));
}

const givenBaseUrl = ({ 'base-url': url }: ApiOptions): string | undefined =>
  (url ?? process.env.TANDEM_BASE_URL)?.replace(/\/+$/, '');

/**
 * Returns the URL of an API and the token for it, from the options or the environment, or else from the stack that runs
 * here. The token may be omitted if the given URL is that of the stack that runs here.
 *
 * @throws UsageError when only a token, or only the URL of another stack, is given; Error when neither is given and no
 *   stack runs here
 */
export function addressOf(
  options: ApiOptions,
  variable: string,
  tokenOf: (stack: Stack) => string,
): { readonly baseUrl: string; readonly token: string } {
  const { 'base-url': url, token: given } = options;
  const baseUrl = givenBaseUrl(options);
  const token = given ?? process.env[variable];
  const here = token === undefined && baseUrl !== undefined ? findStack() : undefined;
  if (here !== undefined && here.baseUrl === baseUrl) return { baseUrl, token: tokenOf(here) };
  if ((baseUrl === undefined) !== (token === undefined)) {
    const [set, missing] =
      baseUrl === undefined
        ? [given === undefined ? variable : '--token', '--base-url or TANDEM_BASE_URL']
        : [url === undefined ? 'TANDEM_BASE_URL' : '--base-url', `--token or ${variable}`];
    const remove = set?.startsWith('--') ? 'leave out' : 'unset';
    throw new UsageError(
      `--base-url and --token belong together: ${set} is set, so set ${missing} too, or ${remove} ${set} to use the stack that npm start runs.`,
    );
  }
  if (baseUrl !== undefined && token !== undefined) return { baseUrl, token };
  const stack = readStack();
  return { baseUrl: stack.baseUrl, token: tokenOf(stack) };
}

/** The API refused the request, or failed. */
export class RefusedError extends Error {
  /** @param url of the request. With the status 503, the error says how to check the app of this URL and the apps behind it */
  constructor(
    readonly status: number,
    problem: unknown,
    url = '',
  ) {
    const checks = status === 503 ? checksOf(url) : [];
    const advice = status < 500 ? [] : [...checks, WHEN_IT_FAILS];
    super([describeRefusal(status, problem), ...advice].join('\n'));
  }
}

/** Returns the body of a successful answer. @throws RefusedError when the answer is not successful */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw new RefusedError(response.status, error, response.url);
  return data as T;
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly error?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** Describes a refusal for people: a line with the reason, then a line for each invalid field. */
export function describeRefusal(status: number, body: unknown): string {
  const {
    code,
    detail,
    title,
    error,
    errors = [],
  } = (typeof body === 'object' && body !== null ? body : {}) as Problem;
  const fields = errors.map(({ field, message }) => `${field}: ${message}`);
  const reason = detail ?? error ?? title ?? 'no explanation';
  return `${status}${code ? ` ${code}` : ''}: ${[reason, ...fields].join('\n  ')}`;
}
