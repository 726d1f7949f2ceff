import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorFormat } from '../errors/error-formats';
import { type HttpFailure, UNREADABLE } from '../errors/http-failure';
import { MalformedRequestError } from '../errors/request-errors';
import { ANSWER_HEADERS } from './answer-headers';

/** Node's error for a request that it could not parse; `rawPacket` is the last Buffer that it read. */
interface ParserError extends Error {
  code?: string;
  rawPacket?: unknown;
}

/** How long a client may take to read the answer before its connection is closed. */
const CUT_AFTER_MS = 2_000;

/**
 * Answers unparsable requests in the app's own error format, and closes their connections, because the start of the next request is
 * unknown. Pass it to Fastify as `clientErrorHandler`.
 */
export const answerUnreadable =
  (format: ErrorFormat) =>
  (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (!socket.writable) return;
    const failure = failureOf(error);
    const id = randomUUID();
    const body = JSON.stringify(format.body(failure, { id, path: '' }));
    const lines = [
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
      `content-type: ${format.contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${id}`,
      ...Object.entries(ANSWER_HEADERS).map(([name, value]) => `${name}: ${value}`),
      'connection: close',
    ];
    socket.end([...lines, '', body].join('\r\n'));
    setTimeout(() => socket.destroy(), CUT_AFTER_MS).unref();
  };

function failureOf({ code, rawPacket }: ParserError): HttpFailure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return UNREADABLE.late;
  if (code !== 'HPE_HEADER_OVERFLOW') return UNREADABLE.malformed;
  return isInRequestLine(rawPacket) ? UNREADABLE.longUri : UNREADABLE.largeHeaders;
}

/** Whether the bytes begin with a request line that alone exceeds the limit for all headers together. */
const isInRequestLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z-]+ \S+$/.test(packet.subarray(0, maxHeaderSize).toString('latin1'));

/**
 * Refuses, before the body is read, requests that are wrong for every route:
 * - a repeated or missing Host header (RFC 9112, 3.2); in HTTP/1.0, the header may be missing
 * - an unknown path, or a method that the path does not allow
 */
export function refuseUnroutable(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!hasOneHost(request.raw)) done(new MalformedRequestError('The request must have one Host header.'));
    else if (request.is404) done(new UnmatchedRouteError());
    else done();
  });
}

/** Serves a request even if the value of its `Expect` header is not supported (RFC 9110, 10.1.1): Node would answer 417, in its own format. */
export function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** No route matches the request. The error filter distinguishes a wrong method from an unknown path. */
class UnmatchedRouteError extends Error {
  readonly statusCode = 404;
}

function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count === 1 || (count === 0 && httpVersion === '1.0');
}
