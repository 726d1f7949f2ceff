import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's `X-Request-Id` if it is safe to log, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}
