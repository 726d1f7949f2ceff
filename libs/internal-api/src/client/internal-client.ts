import { Logger } from '@nestjs/common';
import { ServiceTokens } from '@tandem/auth';
import { type ErrorRow, requestTimeoutHeader, ServiceUnavailableError, ValidationFailedError } from '@tandem/http-api';
import { inClientSpan } from '@tandem/tracing';
import { Agent, request } from 'undici';
import type { CallingSettings } from '../config/service-keys-config';

export interface InternalClientOptions {
  /** The calling app. */
  readonly from: string;
  /** The called app. */
  readonly to: string;
  /** The called app's base URL. */
  readonly url: string;
  /** The config of the calling app, with the key that signs the calls. */
  readonly credentials: CallingSettings;
  /** How long connecting may take, and how long a whole call may take until its answer is complete, ms. */
  readonly timeoutMs: number;
  /** Maximum number of concurrent connections. Default: unlimited. */
  readonly connections?: number;
  /** Errors with which the called app may refuse a call. */
  readonly errors: readonly ErrorRow[];
  /** The detail of the 503 when the called app gives no answer in time, or an answer that is not in the contract. */
  readonly unavailable: string;
}

/** The `Retry-After` of the 503 when the called app gives no answer in time, or an answer that is not in the contract. */
const RETRY_AFTER_SECONDS = 5;

/**
 * The client closes idle connections after this time, ms. A request fails if the server closes the connection while the request is sent. So
 * this time must be shorter than SHUTDOWN_DELAY_MS (5 s in Kubernetes), after which a stopping app closes its connections.
 */
const IDLE_MS = 4_000;

/** The statuses that apps use for invalid fields. The status depends on the API that the called app serves to the public. */
const INVALID = [400, 422];

export interface InternalCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The query of the URL. Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** The id of the request for which the call is made. */
  readonly requestId: string;
}

export interface InternalAnswer {
  readonly status: number;
  /** The body as received: JSON, by the contract. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Reads the body. @throws ServiceUnavailableError when the body is not JSON */
  json<T>(): T;
}

/**
 * Calls the internal routes of another app of the platform. A call carries a service token, the request's id, and a time limit, after
 * which the called app commits nothing. The limit is a little shorter than the time for which the caller waits.
 */
export class InternalClient {
  private readonly logger = new Logger(InternalClient.name);
  private readonly agent: Agent;
  private readonly tokens: ServiceTokens;
  /** Functions that create the errors of the contract, by status and code. */
  private readonly errors: ReadonlyMap<string, () => Error>;

  constructor(private readonly options: InternalClientOptions) {
    const { connections, timeoutMs, errors, credentials, from, to: audience } = options;
    const { SERVICE_PRIVATE_KEY: privateKey, INTERNAL_TOKEN_SECRETS: secrets } = credentials;
    this.tokens = new ServiceTokens({ privateKey, secrets, from, audience });
    this.agent = new Agent({
      connections,
      connect: { timeout: timeoutMs },
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
    });
    this.errors = new Map(
      errors.map(([errorClass, status]) => {
        const make = (): Error & { readonly code: string } => new (errorClass as new () => Error & { code: string })();
        return [`${status} ${make().code}`, make];
      }),
    );
  }

  /**
   * Makes a call, and returns its answer if the status is one of `expected`.
   *
   * @param expected the statuses of a successful answer
   * @throws the error of the contract with which the called app refused the call
   * @throws ValidationFailedError with the invalid fields
   * @throws ServiceUnavailableError when the called app is down, too slow, or answers with a status and code that are not in the contract
   */
  async call(expected: readonly number[], call: InternalCall): Promise<InternalAnswer> {
    const answer = await this.send(call);
    if (expected.includes(answer.status)) return answer;
    const { code, errors } = problemOf(answer.text);
    const known = this.errors.get(`${answer.status} ${code}`);
    if (known) throw known();
    if (code === 'validation_failed' && INVALID.includes(answer.status)) throw new ValidationFailedError(errors);
    const line = { msg: `${this.options.to} gave an answer that is not in the contract`, status: answer.status, code };
    // These two are no bugs: the called app may be unavailable (503) or, during a rolling update, too old to have the operation (405).
    if (answer.status === 503 || answer.status === 405) this.logger.warn(line);
    else this.logger.error(line);
    throw this.unavailableError();
  }

  /** Makes a call whose only successful status is `expected`, and returns the JSON body of the answer. */
  async json<T>(expected: number, call: InternalCall): Promise<T> {
    return (await this.call([expected], call)).json();
  }

  /** Returns another client of the same app, with its own timeout and connections, for calls that must not delay the calls of this client. */
  withTimeout(timeoutMs: number, connections?: number): InternalClient {
    return new InternalClient({ ...this.options, timeoutMs, connections });
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private async send(call: InternalCall): Promise<InternalAnswer> {
    const token = await this.tokens.tokenAt(new Date());
    // `AbortSignal.timeout` is not used, because it keeps its references until the timeout, even if the answer arrives earlier.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.options.timeoutMs);
    try {
      return await this.exchange(call, token, deadline.signal);
    } catch (cause) {
      throw this.unavailableError({ cause });
    } finally {
      clearTimeout(timer);
    }
  }

  private exchange(call: InternalCall, token: string, signal: AbortSignal): Promise<InternalAnswer> {
    const { method, path, query = {} } = call;
    const { url: base, to } = this.options;
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return inClientSpan({ method, target: to, url, peer: to }, async (traceparent) => {
      const headers = { authorization: `Bearer ${token}`, traceparent };
      return this.answerOf(url, call, headers, signal);
    });
  }

  /** Sends the request and reads the whole answer. An incomplete answer counts as no answer. */
  private async answerOf(
    url: URL,
    { method, body, requestId }: InternalCall,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<InternalAnswer> {
    const answer = await request(url, {
      method,
      dispatcher: this.agent,
      headers: {
        ...headers,
        ...requestTimeoutHeader(this.options.timeoutMs),
        'x-request-id': requestId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, text, headers: answer.headers, json: () => this.parse(text) };
  }

  private parse<T>(text: string): T {
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw this.unavailableError({ cause });
    }
  }

  private unavailableError(options?: ErrorOptions): ServiceUnavailableError {
    return new ServiceUnavailableError(this.options.unavailable, RETRY_AFTER_SECONDS, options);
  }
}

/** Returns the code and the invalid fields of a problem+json. Returns no code and no fields for any other body. */
function problemOf(text: string): { code: unknown; errors: { field: string; message: string }[] } {
  let problem: unknown = null;
  try {
    problem = JSON.parse(text);
  } catch {
    // The answer of an intermediate proxy: it has no code, and counts as unexpected.
  }
  if (!isObject(problem)) return { code: undefined, errors: [] };
  const errors: unknown[] = Array.isArray(problem['errors']) ? problem['errors'] : [];
  const fields = errors
    .filter(isObject)
    .map(({ field, message }) => ({ field: String(field), message: String(message) }));
  return { code: problem['code'], errors: fields };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
