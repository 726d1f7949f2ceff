import { texts } from '../texts/common';

/** A field that an API refused, and why. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An error answer, or a missing answer. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** 0 when there was no answer. */
    readonly status: number,
    readonly code: string,
    readonly requestId: string | null,
    readonly fields: readonly FieldProblem[] = [],
  ) {
    super(message);
  }

  /** Whether a retry may succeed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface Failure {
  readonly detail?: string;
  readonly error?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldProblem[];
}

/** Reads the error of an answer: problem+json, or `{"error": …}` of the identity APIs. */
export function apiErrorOf(response: Response, body: unknown): ApiError {
  const failure = (typeof body === 'object' && body !== null ? body : {}) as Failure;
  const message = failure.detail ?? failure.error ?? texts.errors.status(response.status);
  const requestId = failure.requestId ?? response.headers.get('x-request-id');
  return new ApiError(message, response.status, failure.code ?? '', requestId, failure.errors);
}

/** Converts any error to one that can be shown. */
export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(texts.errors.noAnswer, 0, 'no_answer', null);
