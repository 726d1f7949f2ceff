import type { FastifyReply, RawServerBase, RouteGenericInterface } from 'fastify';

/** An error with which the edge itself answers a request. */
export interface EdgeError {
  status: number;
  code: string;
  title: string;
  detail: string;
  headers?: Record<string, string>;
}

/** The headers of the edge's own answers. */
export const OWN_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

export const NOT_FOUND: EdgeError = {
  status: 404,
  code: 'not_found',
  title: 'Not Found',
  detail: 'Nothing is served under this path.',
};

/**
 * The answer when an app does not answer, when the edge has no room for more bodies or connections, and after an
 * unexpected error.
 */
export const UNAVAILABLE: EdgeError = {
  status: 503,
  code: 'service_unavailable',
  title: 'Service Unavailable',
  detail: 'The service does not answer right now. Please try again.',
  headers: { 'retry-after': '5' },
};

export const PAYLOAD_TOO_LARGE: EdgeError = {
  status: 413,
  code: 'payload_too_large',
  title: 'Payload Too Large',
  detail: 'The body is larger than this path takes.',
};

export const MALFORMED: EdgeError = {
  status: 400,
  code: 'malformed_request',
  title: 'Bad Request',
  detail: 'The request could not be read.',
};

export const URI_TOO_LONG: EdgeError = {
  status: 414,
  code: 'uri_too_long',
  title: 'URI Too Long',
  detail: 'The path or the query is too long.',
};

export const HEADERS_TOO_LARGE: EdgeError = {
  status: 431,
  code: 'headers_too_large',
  title: 'Request Header Fields Too Large',
  detail: 'The headers are too large.',
};

export const REQUEST_TIMEOUT: EdgeError = {
  status: 408,
  code: 'request_timeout',
  title: 'Request Timeout',
  detail: 'The request took too long to arrive.',
};

/** The answer to an unsupported method, such as CONNECT. */
export const METHOD_NOT_ALLOWED: EdgeError = {
  status: 405,
  code: 'method_not_allowed',
  title: 'Method Not Allowed',
  detail: 'This method is not supported.',
  headers: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
};

/** Returns the fields of an error in the form problem+json (RFC 9457). */
const problemOf = ({ status, code, title, detail }: EdgeError, { id, path }: { id: string; path: string }) => ({
  type: `urn:tandem:problem:${code}`,
  title,
  status,
  detail,
  instance: path,
  code,
  requestId: id,
});

/** Matches the paths whose callers expect errors as `{"error":"…"}`. Callers of all other paths expect problem+json. */
const PLAIN_ERRORS = /^\/(idp|ids2)(?=[/?#]|$)/i;

/** Returns the body and content type of an error, in the form that the callers of the path expect. */
export function bodyOf(error: EdgeError, { id, url }: { id: string; url: string }): { type: string; body: string } {
  if (PLAIN_ERRORS.test(url)) return { type: 'application/json', body: JSON.stringify({ error: error.detail }) };
  const path = url.split('?', 1)[0] as string;
  return { type: 'application/problem+json', body: JSON.stringify(problemOf(error, { id, path })) };
}

/** Answers with an error in the form that the callers of the path expect. */
export function sendError(
  request: { id: string; url: string },
  reply: FastifyReply<RouteGenericInterface, RawServerBase>,
  error: EdgeError,
): void {
  // Sets x-request-id as the hook in server.ts does, because Fastify runs no hooks for a path that it cannot decode.
  void reply.code(error.status).headers({ ...OWN_HEADERS, ...error.headers, 'x-request-id': request.id });
  const { type, body } = bodyOf(error, request);
  void reply.type(type).send(body);
}
