import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, maxHeaderSize, METHODS, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  bodyOf,
  type EdgeError,
  HEADERS_TOO_LARGE,
  MALFORMED,
  METHOD_NOT_ALLOWED,
  OWN_HEADERS,
  REQUEST_TIMEOUT,
  URI_TOO_LONG,
} from './errors';

/** Node's error for a request that it could not read; `rawPacket` is the last Buffer that was read, if there is one. */
interface ParserError extends Error {
  code?: string;
  rawPacket?: unknown;
}

/** All methods except CONNECT. The app of a path decides which methods it supports (405 with `Allow`). */
export const FORWARDED_METHODS = METHODS.filter((method) => method !== 'CONNECT');

/** Matches the beginning of a valid content type (RFC 9110, section 8.3). */
export const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Methods whose bodies are forwarded. */
export const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Makes Fastify accept all forwarded methods. By default, Fastify supports only the usual methods, and parses the body of the
 * method QUERY, which no app supports.
 */
export function acceptAllMethods(app: FastifyInstance): void {
  for (const method of FORWARDED_METHODS) {
    app.addHttpMethod(method, { hasBody: BODY_METHODS.has(method), overrideExisting: true });
  }
}

/** Returns whether a request has exactly one Host header, or at most one in HTTP/1.0 (RFC 9112, 3.2). */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const count = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
  return count === 1 || (count === 0 && httpVersion === '1.0');
}

/**
 * Answers CONNECT with 405, and serves a request with an unknown `Expect` like any other. Without these listeners, Node would close the
 * connection of a CONNECT, and answer 417 to an unknown `Expect`.
 */
export function answerForNode(app: FastifyInstance): void {
  app.server.on('connect', (request: IncomingMessage, socket: Duplex) =>
    answerSocket(socket, METHOD_NOT_ALLOWED, request.url ?? ''),
  );
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/** For each connection, the target of the last request whose head could be read. */
const lastTargets = new WeakMap<Duplex, string>();

/** Keeps the target of a request for {@link answerUnreadable}, because Node's error for an incomplete body does not contain it. */
export const keepTarget = ({ socket, url = '' }: IncomingMessage): unknown => lastTargets.set(socket, url);

/**
 * Answers a request that Node could not read, and closes the connection, because the start of the next request is unknown. If the client has
 * reset the connection, there is no answer.
 */
export function answerUnreadable(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  answerSocket(socket, failureOf(error), targetOf(error.rawPacket) || (lastTargets.get(socket) ?? ''));
}

function failureOf({ code, rawPacket }: ParserError): EdgeError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return REQUEST_TIMEOUT;
  if (code !== 'HPE_HEADER_OVERFLOW') return MALFORMED;
  return isInRequestLine(rawPacket) ? URI_TOO_LONG : HEADERS_TOO_LARGE;
}

/** Returns whether the request line alone exceeds the limit for all headers. */
const isInRequestLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z-]+ \S+$/.test(packet.subarray(0, maxHeaderSize).toString('latin1'));

/** Returns the target of a request that Node could not read. The target may be incomplete; it is empty if nothing of it was read. */
const targetOf = (packet: unknown): string =>
  (Buffer.isBuffer(packet) && /^\S+ (\S+)/.exec(packet.subarray(0, maxHeaderSize).toString('latin1'))?.[1]) || '';

/** The time that a client has to read the answer before its connection is closed. */
const FAREWELL_MS = 2_000;

function answerSocket(socket: Duplex, error: EdgeError, url: string): void {
  if (!socket.writable) return;
  const requestId = randomUUID();
  const { type, body } = bodyOf(error, { id: requestId, url });
  const headers = {
    ...OWN_HEADERS,
    ...error.headers,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'));
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
}
