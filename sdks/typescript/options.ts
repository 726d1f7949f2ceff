/** A request that is about to be sent. It does not contain the token. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt, higher for retries. */
  readonly attempt: number;
}

/** The outcome of a request. */
export interface ResponseInfo extends RequestInfo {
  readonly durationMs: number;
  /** The HTTP status; undefined when no answer came. */
  readonly status?: number;
  readonly requestId?: string;
  /** Why no answer came. */
  readonly error?: Error;
}

/** How requests are sent. */
export interface TransportOptions {
  /** Scheme and host of the platform, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** How long one attempt may take, including its answer. Default 20,000. */
  readonly timeoutMs?: number;
  /** How long a call may take with all its attempts and waits. Default 60,000. */
  readonly deadlineMs?: number;
  /** The maximum number of retries of a request, where a retry is safe. Default 3. */
  readonly maxRetries?: number;
  /** Replaces the runtime's `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /** Called before each attempt. An error that it throws ends the call. */
  readonly onRequest?: (request: RequestInfo) => void;
  /** Called after each attempt, except one that the signal ended. An error that it throws ends the call. */
  readonly onResponse?: (response: ResponseInfo) => void;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, even while the call waits before a retry. The call then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Your own id for the platform's logs: 1–128 letters, digits, `.`, `_`, `-`. */
  readonly requestId?: string;
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  readonly maxRetries?: number;
}

type Hooks = Pick<TransportOptions, 'onRequest' | 'onResponse'>;
export type Settings = Required<Omit<TransportOptions, keyof Hooks>> & Hooks;

export type Limits = Pick<Settings, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>;

/** @throws TypeError for an invalid limit */
export function checkLimits({ timeoutMs, deadlineMs, maxRetries }: Limits): void {
  for (const [name, value] of Object.entries({ timeoutMs, deadlineMs }))
    if (typeof value !== 'number' || !(value > 0)) throw new TypeError(`${name} must be more than 0`);
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('maxRetries must be a whole number that is not negative');
}

/** Adds the defaults to the options. @throws TypeError for an invalid option */
export function settingsOf(options: TransportOptions): Settings {
  const { baseUrl, timeoutMs = 20_000, deadlineMs = 60_000, maxRetries = 3 } = options;
  if (typeof baseUrl !== 'string' || !/^https?:\/\/[^/?#\s@\p{Cc}]+\/*$/u.test(baseUrl))
    throw new TypeError('baseUrl must be a scheme and a host, such as https://api.example.com');
  checkLimits({ timeoutMs, deadlineMs, maxRetries });
  // Some runtimes refuse to call their `fetch` as a method of another object, so the default calls it without `this`.
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  return { ...options, baseUrl: baseUrl.replace(/\/+$/, ''), timeoutMs, deadlineMs, maxRetries, fetch: send };
}
