/** One field that the platform refused, and why. */
export interface RefusedField {
  readonly field: string;
  readonly message: string;
}

/** The details of the answer that caused an error. */
export interface ErrorDetails {
  readonly status?: number;
  readonly code: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly RefusedField[];
  readonly cause?: unknown;
}

/** A failure of a call. Let your program decide by the class or by `code`, and show `message` to people. */
export class TandemError extends Error {
  override readonly name: string = 'TandemError';
  /** The HTTP status; undefined when no answer came. */
  readonly status?: number;
  /**
   * The platform's code, such as `sale_not_revocable`, or a code of the SDK: `connection_failed`, `timed_out`, `invalid_answer`, or
   * `unknown` for an answer whose code the SDK cannot determine.
   */
  readonly code: string;
  /** Include this id when you report a problem to Tandem. */
  readonly requestId?: string;
  /** After how many seconds the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** The refused fields, if any. */
  readonly errors: readonly RefusedField[];

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.errors = details.errors ?? [];
  }
}

/** 401: the token is missing, mistyped, expired or revoked. */
export class AuthenticationError extends TandemError {
  override readonly name = 'AuthenticationError';
}

/** 404: the resource does not exist, or this token cannot see it. */
export class NotFoundError extends TandemError {
  override readonly name = 'NotFoundError';
}

/** 429: too many requests were made. */
export class RateLimitError extends TandemError {
  override readonly name = 'RateLimitError';
}

/** 5xx, or a success whose body is not JSON: the platform failed, or a proxy in front of it answered. */
export class ServerError extends TandemError {
  override readonly name = 'ServerError';
}

/** No answer came: the connection was refused, failed, or ended early. */
export class ConnectionFailedError extends TandemError {
  override readonly name = 'ConnectionFailedError';
  /** Whether the platform may have received the request. False only if it is certain that no connection was established. */
  readonly maybeReceived: boolean;

  constructor(message: string, details: Omit<ErrorDetails, 'code'> & { readonly maybeReceived: boolean }) {
    super(message, { ...details, code: 'connection_failed' });
    this.maybeReceived = details.maybeReceived;
  }
}

/** No answer came in time, or the platform did not receive the request in time (408). The request may have been carried out. */
export class TimedOutError extends TandemError {
  override readonly name = 'TimedOutError';
}

/** An answer that is not a success. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

type ErrorClass = new (message: string, details: ErrorDetails) => TandemError;

const CLASSES: Readonly<Record<number, ErrorClass>> = {
  401: AuthenticationError,
  404: NotFoundError,
  408: TimedOutError,
  429: RateLimitError,
};

/** Returns the error class for a status. An API uses it for the statuses for which it has no class of its own. */
export const classOf = (status: number): ErrorClass => (status >= 500 ? ServerError : (CLASSES[status] ?? TandemError));

/** Returns the details that the headers of an answer contain. @param now the current time in milliseconds, for a `Retry-After` that is a date */
export function headerDetails({ status, headers }: FailedAnswer, now: number): Omit<ErrorDetails, 'code'> {
  const requestId = headers.get('x-request-id') ?? undefined;
  return { status, requestId, retryAfterSeconds: secondsOf(headers.get('retry-after'), now) };
}

/** Returns the fields of an answer; no fields if the answer is not a JSON object, such as the HTML page of a proxy. */
export function fieldsOf(text: string): Record<string, unknown> {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return {};
  }
}

export const asFields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads `Retry-After`: a number of seconds, or a date if a proxy set it. */
function secondsOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
