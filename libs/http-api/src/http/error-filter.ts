import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods';
import { ANSWER_HEADERS } from './answer-headers';
import { type ErrorMap, failureOf } from '../errors/error-map';
import { type ErrorFormat } from '../errors/error-formats';
import { CLIENT_GONE, type HttpFailure, INTERNAL, methodNotAllowed } from '../errors/http-failure';

/** Converts errors to HTTP answers. Only requests that Node cannot parse are answered elsewhere (`answerUnreadable`). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    private readonly map: ErrorMap,
    private readonly format: ErrorFormat,
    private readonly allowedMethods: AllowedMethods,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.answer(error, request, http.getResponse<FastifyReply>());
  }

  /** Answers a request with the failure of an error. Also called for requests that Fastify refuses before Nest sees them. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.sent || reply.raw.headersSent) return void reply.raw.destroy();
    const failure = this.failureFor(error, request);
    const path = request.url.split('?', 1)[0] as string;
    reply
      .code(failure.status)
      // A hook also sets these headers, but no hook runs for a request that Fastify refuses before it finds a route.
      .headers({ 'x-request-id': request.id, ...ANSWER_HEADERS })
      .headers(failure.headers ?? {})
      .type(this.format.contentType)
      .send(JSON.stringify(this.format.body(failure, { id: request.id, path })));
  }

  private failureFor(error: unknown, request: FastifyRequest): HttpFailure {
    const failure = isGone(request) ? CLIENT_GONE : failureOf(error, this.map);
    // A path that cannot be decoded matches no route either, but its error has the status 400, which is kept.
    if (request.is404 && (failure?.status ?? 404) === 404) return this.unmatched(request);
    if (failure) {
      const { status, code } = failure;
      if (status >= 500) this.logger.warn({ msg: 'request.failed', status, code, reason: (error as Error).message });
      else this.logger.log({ msg: 'request.refused', status, code });
      return failure;
    }
    this.logger.error({ msg: 'unexpected error', err: loggable(error) });
    return INTERNAL;
  }

  private unmatched(request: FastifyRequest): HttpFailure {
    const allowed = this.allowedMethods.of(request.url);
    if (allowed.length === 0) return { status: 404, code: 'not_found', detail: 'There is nothing at this path.' };
    return methodNotAllowed(allowed);
  }
}

/** Whether the client disconnected before its body was complete: nobody receives the answer. */
const isGone = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

/**
 * Returns only the name, message, stack and code of an error, because other properties of a driver's error contain the
 * statement's parameters, which may be personal.
 */
function loggable(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code: unknown = (error as { code?: unknown }).code;
  return { type: name, message, stack, ...(typeof code === 'string' ? { code } : {}) };
}
