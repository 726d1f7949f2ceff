import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BODY_METHODS } from './protocol';

/** Returns the id under which all apps log a request: the client's `X-Request-Id` if it is valid, otherwise a new id. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Request headers that the edge does not forward, because they are only for one connection (RFC 9110, 7.6.1) or were handled by the edge. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
];

/** Headers of answers that the edge does not forward, because they are only for one connection. */
const HOP_BY_HOP_OF_ANSWERS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'trailer',
  'transfer-encoding',
];

/** Returns the headers that the client receives, from those of the app's answer. */
export function answeredHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const answered = { ...headers };
  for (const name of HOP_BY_HOP_OF_ANSWERS) delete answered[name];
  return answered;
}

/** Headers with which a client could forge its own address or that of the platform. The edge removes them. */
const CLAIMS_OF_ORIGIN = ['forwarded', 'x-real-ip', 'x-forwarded-port', 'x-forwarded-prefix', 'x-forwarded-server'];

/** The parts of a request from which the edge sets headers for the app. */
interface Incoming {
  id: string;
  method: string;
  socket: { remoteAddress?: string };
  headers: { host?: string };
}

/** Returns the headers that the app receives, from those of the client's request. */
export function forwardedHeaders(request: Incoming, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const forwarded: IncomingHttpHeaders = { ...headers };
  for (const name of [...HOP_BY_HOP, ...CLAIMS_OF_ORIGIN]) delete forwarded[name];
  if (!BODY_METHODS.has(request.method)) {
    // The body of a request with this method is not forwarded, so the length must not be forwarded either.
    delete forwarded['content-length'];
    delete forwarded['transfer-encoding'];
  }
  forwarded['x-request-id'] = request.id;
  forwarded['x-forwarded-for'] = request.socket.remoteAddress ?? '';
  forwarded['x-forwarded-proto'] = 'http';
  forwarded['x-forwarded-host'] = request.headers.host ?? '';
  return forwarded;
}
