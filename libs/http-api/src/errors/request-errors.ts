import { ErrorOf } from './error-of';
import { describeProblems, type FieldProblem } from './http-failure';

/** The request could be read, but some of its fields are invalid. */
export class ValidationFailedError extends Error {
  readonly code = 'validation_failed';

  constructor(readonly fields: readonly FieldProblem[]) {
    super(describeProblems(fields));
  }
}

/** The request cannot be read, for example because its body is not a JSON object. */
export class MalformedRequestError extends Error {
  readonly code = 'malformed_request';
}

/** The body cannot be read as a JSON object; an app may map this error to its own code. */
export class UnreadableBodyError extends MalformedRequestError {}

/**
 * The app cannot serve the request now, for example because a dependency is down. The same request may succeed later.
 */
export class ServiceUnavailableError extends Error {
  readonly code = 'service_unavailable';

  constructor(
    message: string,
    readonly retryAfterSeconds = 5,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The cursor is malformed, was issued for another list or with other filters, or was signed with a removed key. */
export class InvalidCursorError extends ErrorOf(
  'invalid_cursor',
  'The cursor was not returned by this list with the same filters',
) {}
