import { texts } from '../texts/common';

/** A field that an API refused, and why. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** The error of a request that got an error answer or no answer. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** The status of the answer; 0 when there was none. */
    readonly status: number,
    readonly code: string,
    readonly requestId: string | null,
    readonly fields: readonly FieldProblem[] = [],
  ) {
    super(message);
  }

  /** Whether the error may be temporary, so that a retry may succeed. */
  get isPassing(): boolean {
    return this.isUncertain || this.status === 429;
  }

  /** Whether the request may have taken effect: there was no answer, or the server failed. */
  get isUncertain(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

interface Failure {
  readonly detail?: string;
  readonly error?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldProblem[];
}

/** Returns the error in an answer's body, which is problem+json or, in the identity APIs, `{"error": …}`. */
export function apiErrorOf(response: Response, body: unknown): ApiError {
  const failure = (typeof body === 'object' && body !== null ? body : {}) as Failure;
  const message = failure.detail ?? failure.error ?? texts.errors.status(response.status);
  const requestId = failure.requestId ?? response.headers.get('x-request-id');
  return new ApiError(message, response.status, failure.code ?? '', requestId, failure.errors);
}

/** Returns an ApiError unchanged. Converts any other error to an ApiError which states that there was no answer. */
export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(texts.errors.noAnswer, 0, 'no_answer', null);

/**
 * Returns why an API refused a field, as a sentence to show next to the field; undefined if the API did not refuse the field. If the API's message
 * begins with the API's name of the field, the sentence leaves this name out.
 */
export function refusalOf(error: unknown, field: string): string | undefined {
  const message = error ? toApiError(error).fields.find((problem) => problem.field === field)?.message : undefined;
  if (message === undefined) return undefined;
  const [first = '', ...others] = message.split(' ');
  const sentence = others.length > 0 && [field, field.split('.').at(-1)].includes(first) ? others.join(' ') : message;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
