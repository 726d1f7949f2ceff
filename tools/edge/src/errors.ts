import type { FastifyReply, RawServerBase, RouteGenericInterface } from 'fastify';
import type { ErrorFormat } from './routes';

/** An error that the edge answers itself. */
export interface EdgeError {
  status: number;
  code: string;
  title: string;
  detail: string;
  headers?: Record<string, string>;
}

export const NOT_FOUND: EdgeError = {
  status: 404,
  code: 'not_found',
  title: 'Not Found',
  detail: 'Nothing is served under this path.',
};

/** Nothing of the request was lost: an app answers only after it has written down what it accepted. */
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

export const UNSUPPORTED_MEDIA_TYPE: EdgeError = {
  status: 415,
  code: 'unsupported_media_type',
  title: 'Unsupported Media Type',
  detail: 'The Content-Type header is not a media type.',
};

export const MALFORMED: EdgeError = {
  status: 400,
  code: 'malformed_request',
  title: 'Bad Request',
  detail: 'The request could not be read.',
};

/** Answers with an error in the form that the product's callers know. */
export function sendError(
  request: { id: string; url: string },
  reply: FastifyReply<RouteGenericInterface, RawServerBase>,
  { status, code, title, detail, headers = {} }: EdgeError,
  format: ErrorFormat,
): void {
  void reply.code(status).headers(headers);
  if (format === 'error') {
    void reply.type('application/json').send({ error: detail });
    return;
  }
  const instance = request.url.split('?', 1)[0];
  const problem = { type: `urn:tandem:problem:${code}`, title, status, detail, instance, code, requestId: request.id };
  void reply.type('application/problem+json').send(JSON.stringify(problem));
}
