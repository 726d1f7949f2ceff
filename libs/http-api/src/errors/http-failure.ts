/** One invalid field of a request. */
export interface FieldProblem {
  /** The path of the field, with dots: for example `address.zip`. */
  field: string;
  message: string;
}

/** Returns a field's message without the field's name at its beginning, for texts that name the field by its path. */
export function withoutName({ field, message }: FieldProblem): string {
  const name = `${field.slice(field.lastIndexOf('.') + 1)} `;
  return message.startsWith(name) ? message.slice(name.length) : message;
}

/** Returns all problems as one text: `limit: must be at least 1; address.zip: must be a string`. */
export const describeProblems = (problems: readonly FieldProblem[]): string =>
  problems.map((problem) => `${problem.field}: ${withoutName(problem)}`).join('; ');

/** An error as an HTTP answer. An app converts every error to an HttpFailure before it answers. */
export interface HttpFailure {
  status: number;
  code: string;
  detail?: string;
  headers?: Record<string, string>;
  errors?: readonly FieldProblem[];
}

/** The answer to an unexpected error; only the log contains its cause. */
export const INTERNAL: HttpFailure = {
  status: 500,
  code: 'internal',
  detail: 'Something went wrong on our side. The request id helps us to find the cause.',
};

/** The failure of a request whose client has disconnected, for the log and the metrics only. 499 is the status that proxies use for it. */
export const CLIENT_GONE: HttpFailure = { status: 499, code: 'client_closed_request' };

/** Returns the failure of a request whose path exists, but does not allow the request's method. */
export function methodNotAllowed(allowed: readonly string[]): HttpFailure {
  const allow = allowed.join(', ');
  return { status: 405, code: 'method_not_allowed', detail: `This path allows ${allow}.`, headers: { Allow: allow } };
}

/** The failure of a path with an id that exceeds the maximum length. */
export const ID_TOO_LONG: HttpFailure = { status: 414, code: 'uri_too_long', detail: 'The path is too long.' };

/** The failures of a request that cannot be read, on any path. */
export const UNREADABLE = {
  malformed: { status: 400, code: 'malformed_request', detail: 'The request could not be read.' },
  late: { status: 408, code: 'request_timeout', detail: 'The request took too long to arrive.' },
  longUri: { status: 414, code: 'uri_too_long', detail: 'The path or the query is too long.' },
  largeHeaders: { status: 431, code: 'headers_too_large', detail: 'The headers are too large.' },
} satisfies Record<string, HttpFailure>;
