import { ConnectionFailedError, type FailedAnswer, ServerError, TandemError, TimedOutError } from './errors.ts';
import {
  type CallOptions,
  checkLimits,
  type Limits,
  type RequestInfo,
  type ResponseInfo,
  type Settings,
} from './options.ts';
import { LONGEST_TIMER_MS, type Pace, reasonOf, throwIfAborted } from './pace.ts';
import { type Repeatable, waitBeforeRetry, wasNeverConnected } from './retries.ts';

/** The parts in which the APIs of the platform differ. */
export interface Api {
  readonly basePath: string;
  /** Returns the error of an answer that is not a success. @param now the current time in milliseconds */
  errorOf(answer: FailedAnswer, now: number): TandemError;
  /**
   * For an error that is worth a retry in this API, returns the seconds to wait if the answer has no `Retry-After`; undefined for other
   * errors.
   */
  passesAfterSeconds?(error: TandemError): number | undefined;
}

/** A request to the API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path after the API's base path. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly repeatable: Repeatable;
}

type Outcome = { readonly value: unknown } | { readonly error: TandemError };

type TransportSettings = Settings & { readonly headers?: Readonly<Record<string, string>> };

/** Sends requests, and sends them again where that is safe. */
export class Transport {
  /** Private at run time too, so that a log of the client does not contain the token. */
  readonly #settings: TransportSettings;

  /** @param settings the client's settings, with the headers of every request */
  constructor(
    private readonly api: Api,
    settings: TransportSettings,
    private readonly pace: Pace,
  ) {
    this.#settings = settings;
  }

  /**
   * Returns the body of the answer; undefined for a 204.
   *
   * @throws TypeError for invalid limits
   * @throws TandemError of the last attempt, and the reason of the signal when it aborts
   */
  async send<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    const limits: Limits = { ...this.#settings, ...defined(options) };
    checkLimits(limits);
    const deadline = this.pace.now() + limits.deadlineMs;
    for (let attempt = 1; ; attempt++) {
      const left = deadline - this.pace.now();
      const outcome = await this.attempt(
        call,
        attempt,
        Math.max(1, Math.min(limits.timeoutMs, left, LONGEST_TIMER_MS)),
        options,
      );
      if ('value' in outcome) return outcome.value as T;
      const wait = this.waitAfter(outcome.error, call, attempt, limits);
      // A wait that ends after the deadline would only delay the error.
      if (wait === undefined || this.pace.now() + wait >= deadline) throw outcome.error;
      await this.pace.sleep(wait, signal);
    }
  }

  private waitAfter(error: TandemError, call: Call, attempt: number, { maxRetries }: Limits): number | undefined {
    if (attempt > maxRetries) return undefined;
    const ownSeconds = this.api.passesAfterSeconds?.(error);
    return waitBeforeRetry(error, call.repeatable, attempt, this.pace.random(), ownSeconds);
  }

  private async attempt(call: Call, attempt: number, timeoutMs: number, options: CallOptions): Promise<Outcome> {
    throwIfAborted(options.signal);
    const request: RequestInfo = { method: call.method, url: this.urlOf(call), attempt };
    this.#settings.onRequest?.(request);
    const start = this.pace.now();
    const report = (rest: Partial<ResponseInfo>): void =>
      this.#settings.onResponse?.({ ...request, durationMs: this.pace.now() - start, ...rest });

    let answer;
    try {
      answer = await this.exchange(request, call, timeoutMs, options);
    } catch (error) {
      if (!(error instanceof TandemError)) throw error;
      report({ error });
      return { error };
    }
    const requestId = answer.headers.get('x-request-id') ?? undefined;
    report({ status: answer.status, requestId });
    if (answer.status < 200 || answer.status > 299) return { error: this.api.errorOf(answer, this.pace.now()) };
    if (answer.status === 204) return { value: undefined };
    try {
      return { value: JSON.parse(answer.text) };
    } catch (cause) {
      const details = { status: answer.status, code: 'invalid_answer', requestId, cause };
      return { error: new ServerError(`${answer.status}: the answer is not JSON`, details) };
    }
  }

  /** Sends one request and reads its whole answer. @throws ConnectionFailedError, TimedOutError, and the reason of the signal */
  private async exchange(request: RequestInfo, call: Call, timeoutMs: number, { signal, requestId }: CallOptions) {
    const controller = new AbortController();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, timeoutMs);
    const abort = (): void => controller.abort(signal && reasonOf(signal));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await this.#settings.fetch(request.url, {
        method: call.method,
        headers: this.headersOf(call, requestId),
        body: call.body && JSON.stringify(call.body),
        // A redirect could send the token to another host, and the API never redirects.
        redirect: 'manual',
        signal: controller.signal,
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      throwIfAborted(signal);
      if (timedOut) throw new TimedOutError(`no answer in ${timeoutMs} ms`, { code: 'timed_out', cause });
      const maybeReceived = !wasNeverConnected(cause);
      throw new ConnectionFailedError(`no answer from ${this.#settings.baseUrl}`, { cause, maybeReceived });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  private urlOf({ path, query = {} }: Call): string {
    // Does not use URLSearchParams, which React Native implements only in part.
    const parameters = Object.entries(query).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      return `${encodeURIComponent(name)}=${encodeURIComponent(value instanceof Date ? value.toISOString() : String(value))}`;
    });
    const text = parameters.join('&');
    return `${this.#settings.baseUrl}${this.api.basePath}${path}${text && `?${text}`}`;
  }

  private headersOf(call: Call, requestId: string | undefined): Record<string, string> {
    return {
      accept: 'application/json',
      ...this.#settings.headers,
      ...(call.body && { 'content-type': 'application/json' }),
      ...(requestId && { 'x-request-id': requestId }),
      ...call.headers,
    };
  }
}

/** Returns the options without undefined values, which would hide the client's own options. */
const defined = (options: CallOptions): Partial<Limits> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
