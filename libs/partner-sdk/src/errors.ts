import type { FieldProblem } from './types.ts';

/** The parts of an answer that the error for it contains. */
export interface ErrorDetails {
  readonly status?: number;
  readonly code: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly FieldProblem[];
  readonly cause?: unknown;
}

/** A failure of a call. Let your program decide by the class or by `code`, and show `message` to people. */
export class TandemError extends Error {
  override readonly name: string = 'TandemError';
  /** The HTTP status; undefined when no answer came. */
  readonly status?: number;
  /** The platform's code, such as `sale_not_revocable`; `unknown` when the answer has none. */
  readonly code: string;
  /** Include this id when you report a problem to Tandem. */
  readonly requestId?: string;
  /** After how many seconds the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** The refused fields, if any. */
  readonly errors: readonly FieldProblem[];

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

/** 403: the token lacks the scope that the call needs, or the account has the other kind of integration. */
export class PermissionDeniedError extends TandemError {
  override readonly name = 'PermissionDeniedError';
}

/** 404: there is no such thing for this token, in its environment. */
export class NotFoundError extends TandemError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of a sale, a group, the account or the postback does not allow it. */
export class ConflictError extends TandemError {
  override readonly name = 'ConflictError';
}

/** 400, 413, 414, 415, 422 and 431: the request must be changed; `errors` names its fields. */
export class ValidationError extends TandemError {
  override readonly name = 'ValidationError';
}

/** 429: the token has made too many requests. */
export class RateLimitError extends TandemError {
  override readonly name = 'RateLimitError';
}

/** 5xx, or an answer that is not the API's: the platform, or a proxy before it, failed. */
export class ServerError extends TandemError {
  override readonly name = 'ServerError';
}

/** No answer came: the connection was refused, failed, or ended early. */
export class ConnectionFailedError extends TandemError {
  override readonly name = 'ConnectionFailedError';
  /** Whether the platform may have received the request. False when no connection was established. */
  readonly maybeReceived: boolean;

  constructor(message: string, details: Omit<ErrorDetails, 'code'> & { readonly maybeReceived: boolean }) {
    super(message, { ...details, code: 'connection_failed' });
    this.maybeReceived = details.maybeReceived;
  }
}

/** No answer came in time, or the platform did not receive the request in time (408). It may have been carried out. */
export class TimedOutError extends TandemError {
  override readonly name = 'TimedOutError';
}

/** An answer that is not a success. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

const CLASSES: Readonly<Record<number, new (message: string, details: ErrorDetails) => TandemError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  408: TimedOutError,
  409: ConflictError,
  413: ValidationError,
  414: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
  431: ValidationError,
};

/** Returns the error for an answer. @param now the current time in milliseconds, for a `Retry-After` that is a date */
export function errorOf({ status, headers, text }: FailedAnswer, now: number): TandemError {
  const problem = problemOf(text);
  const code = textOf(problem['code']) ?? 'unknown';
  const requestId = textOf(problem['requestId']) ?? headers.get('x-request-id') ?? undefined;
  const retryAfterSeconds = secondsOf(headers.get('retry-after'), now);
  const errors = Array.isArray(problem['errors']) ? (problem['errors'] as FieldProblem[]) : [];
  const Class = status >= 500 ? ServerError : (CLASSES[status] ?? TandemError);
  const detail = textOf(problem['detail']) ?? 'the answer is not one of the API';
  return new Class(`${status} ${code}: ${detail}`, { status, code, requestId, retryAfterSeconds, errors });
}

/** Returns the fields of the answer; none when a proxy answered with something else. */
function problemOf(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `Retry-After` is a number of seconds, or a date from a proxy. */
function secondsOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
