import { Deadline, runWithDeadline } from '@tandem/database';
import { runInSpan, startRequestSpan } from '@tandem/tracing';
import type { Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceUnavailableError } from '../errors/request-errors';
import { ANSWER_HEADERS } from './answer-headers';
import { type LogFields, withLogFields } from './log-context';

/**
 * The header in which an app that calls another app sets the deadline of the call, in ms from now. The deadline is a little
 * earlier than the end of the calling app's wait. After the deadline, the called app rolls back the request's open
 * transactions instead of committing them.
 */
export const REQUEST_TIMEOUT_HEADER = 'x-request-timeout-ms';

/** Routes for calls between the apps. */
const INTERNAL = /^\/internal\//;
const MILLISECONDS = /^\d{1,9}$/;
/** The part of a caller's wait that is reserved for the commit and the answer. */
const GRACE_SHARE = 0.2;
const GRACE_MAX_MS = 1_000;

/**
 * Returns the header with the deadline of a call. The value is the caller's wait, minus 20 % of the wait or 1 s, whichever
 * is less, so that the answer still arrives in time.
 *
 * @param timeoutMs how long the caller waits at most
 */
export const requestTimeoutHeader = (timeoutMs: number): Record<string, string> => {
  const graceMs = Math.min(GRACE_MAX_MS, timeoutMs * GRACE_SHARE);
  return { [REQUEST_TIMEOUT_HEADER]: String(Math.floor(timeoutMs - graceMs)) };
};

interface RequestContext {
  readonly fields: LogFields;
  readonly span: Span;
  readonly deadline: Deadline | undefined;
}

/** Runs each request with its log fields, in its trace, and within the deadline that the calling app set. */
export function keepRequestContexts(fastify: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, RequestContext>();
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(ANSWER_HEADERS);
    const deadline = deadlineOf(request);
    const context = { fields: { requestId: request.id }, span: startRequestSpan(request, reply), deadline };
    contexts.set(request, context);
    run(context, () => {
      if (deadline?.isPassed) done(new ServiceUnavailableError('The request arrived after its deadline.'));
      else done();
    });
  });
  // Reading a body leaves the async context of the hook above, so this hook enters the context again.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const context = contexts.get(request);
    if (request.body === undefined || !context) return done();
    run(context, done);
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    contexts.get(request)?.deadline?.end();
    done(null, payload);
  });
}

function run({ fields, span, deadline }: RequestContext, work: () => void): void {
  const traced = (): void => runInSpan(span, work);
  withLogFields(fields, () => (deadline ? runWithDeadline(deadline, traced) : traced()));
}

/** Returns the deadline of a call from another app; undefined on public routes, where the header is ignored. */
function deadlineOf(request: FastifyRequest): Deadline | undefined {
  const timeout = request.headers[REQUEST_TIMEOUT_HEADER];
  if (typeof timeout !== 'string' || !MILLISECONDS.test(timeout)) return undefined;
  if (!INTERNAL.test(request.routeOptions.url ?? '')) return undefined;
  // A caller that timed out has closed the connection.
  return new Deadline(Number(timeout), () => request.raw.socket.destroyed);
}
