import { HttpException } from '@nestjs/common';
import {
  isDatabaseUnavailable,
  isDeadlineExceeded,
  isRetryableConflict,
  isTimeout,
  RecountTooLongError,
} from '@tandem/database';
import { type HttpFailure, ID_TOO_LONG } from './http-failure';
import { RateLimitedError } from './rate-limited.errors';
import {
  InvalidCursorError,
  MalformedRequestError,
  ServiceUnavailableError,
  ValidationFailedError,
} from './request-errors';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any constructor: it is used only with `instanceof`
type ErrorClass = abstract new (...args: any[]) => Error & { readonly code: string };

/** The answer to a mapped error. */
export interface ErrorMapping {
  status: number;
  headers?: Record<string, string> | ((error: never) => Record<string, string>);
  /** Replaces the error's own code. */
  code?: string;
  /** Replaces the error's own message. */
  detail?: string;
}

/**
 * One app's table: error class → status. The code on the wire is the error's `code`, and the detail is the error's
 * message, unless the row has another code or detail.
 */
export type ErrorMap = ReadonlyMap<ErrorClass, ErrorMapping>;

/** One row of an error map: the class, the status and, if needed, headers, and a code and a detail that replace the error's own. */
export type ErrorRow = readonly [ErrorClass, number] | readonly [ErrorClass, number, Omit<ErrorMapping, 'status'>];

/** Builds an error map from rows. */
export const defineErrors = (rows: readonly ErrorRow[]): ErrorMap =>
  new Map(rows.map(([errorClass, status, more]) => [errorClass, { status, ...more }]));

/** The codes of failures that Nest or Fastify raises, by status. */
const CODE_OF_STATUS: Record<number, string> = {
  400: 'malformed_request',
  401: 'unauthorized',
  403: 'permission_denied',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

/** Returns the failure that an error is mapped to; undefined for an unexpected error. */
export function failureOf(error: unknown, map: ErrorMap): HttpFailure | undefined {
  return mappedFailure(error, map) ?? requestFailure(error) ?? unavailableFailure(error) ?? frameworkFailure(error);
}

function mappedFailure(error: unknown, map: ErrorMap): HttpFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  for (
    let prototype = error.constructor;
    prototype !== Error && prototype.prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    const mapping = map.get(prototype as ErrorClass);
    if (!mapping) continue;
    const { status, headers, code = (error as Error & { code: string }).code, detail = error.message } = mapping;
    return {
      status,
      code,
      detail,
      headers: typeof headers === 'function' ? headers(error as never) : headers,
      ...(error instanceof ValidationFailedError ? { errors: error.fields } : {}),
    };
  }
  return undefined;
}

function requestFailure(error: unknown): HttpFailure | undefined {
  if (error instanceof ValidationFailedError) {
    return { status: 422, code: error.code, detail: 'The request has invalid fields.', errors: error.fields };
  }
  if (error instanceof RateLimitedError) {
    const headers = { 'Retry-After': String(error.retryAfterSeconds) };
    return { status: 429, code: error.code, detail: error.message, headers };
  }
  if (error instanceof InvalidCursorError) return { status: 400, code: error.code, detail: error.message };
  if (error instanceof MalformedRequestError) return { status: 400, code: error.code, detail: error.message };
  return undefined;
}

function unavailableFailure(error: unknown): HttpFailure | undefined {
  if (error instanceof ServiceUnavailableError) {
    const headers = { 'Retry-After': String(error.retryAfterSeconds) };
    return { status: 503, code: error.code, detail: error.message, headers };
  }
  const detail = unavailableDetail(error);
  if (detail === undefined) return undefined;
  return { status: 503, code: 'service_unavailable', detail, headers: { 'Retry-After': '5' } };
}

/**
 * Returns the detail of the 503 for an error after which the same request may succeed later; undefined for any other
 * error.
 */
function unavailableDetail(error: unknown): string | undefined {
  if (isDatabaseUnavailable(error)) return 'The service cannot reach its storage now; try again.';
  if (isTimeout(error) || isRetryableConflict(error)) return 'The service is too busy now; try again.';
  if (error instanceof RecountTooLongError) return error.message;
  if (isDeadlineExceeded(error)) return 'The request took too long, and nothing was done; try again.';
  return undefined;
}

/** Returns the failure of a request that Nest or Fastify refused. Their errors with a 5xx status count as unexpected. */
function frameworkFailure(error: unknown): HttpFailure | undefined {
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | undefined)?.statusCode;
  if (typeof status !== 'number' || status < 400 || status >= 500) return undefined;
  // The router's own text repeats the path, however long it is, so a fixed text replaces it.
  if (status === ID_TOO_LONG.status) return ID_TOO_LONG;
  return { status, code: CODE_OF_STATUS[status] ?? 'malformed_request', detail: (error as Error).message };
}
