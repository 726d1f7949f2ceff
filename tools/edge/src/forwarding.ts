import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BODY_METHODS } from './protocol';

/** Returns the id of a request in all apps: the client's `X-Request-Id` if it is valid, otherwise a new id. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Headers for this hop only (RFC 9110, 7.6.1), or that this hop has already handled. */
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

/** Headers of answers that are not forwarded, for the same reasons. The edge's own server decides how the body is sent to the client. */
const HOP_BY_HOP_OF_ANSWERS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'trailer',
  'transfer-encoding',
];

/** Returns the headers of an app's answer that the client receives. */
export function answeredHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const answered = { ...headers };
  for (const name of HOP_BY_HOP_OF_ANSWERS) delete answered[name];
  return answered;
}

/** Headers with which a client could forge its address. The edge replaces them with its own values. */
const CLAIMS_OF_ORIGIN = ['forwarded', 'x-real-ip', 'x-forwarded-port', 'x-forwarded-prefix', 'x-forwarded-server'];

/** What the edge itself knows about a request. */
interface Incoming {
  id: string;
  method: string;
  socket: { remoteAddress?: string };
  headers: { host?: string };
}

/** Returns the headers that an app receives. */
export function forwardedHeaders(request: Incoming, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const forwarded: IncomingHttpHeaders = { ...headers };
  for (const name of [...HOP_BY_HOP, ...CLAIMS_OF_ORIGIN]) delete forwarded[name];
  if (!BODY_METHODS.has(request.method)) {
    // A body has no meaning here and is not forwarded, so its length must not be forwarded either.
    delete forwarded['content-length'];
    delete forwarded['transfer-encoding'];
  }
  forwarded['x-request-id'] = request.id;
  forwarded['x-forwarded-for'] = request.socket.remoteAddress ?? '';
  forwarded['x-forwarded-proto'] = 'http';
  forwarded['x-forwarded-host'] = request.headers.host ?? '';
  return forwarded;
}
