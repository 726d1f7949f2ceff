import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { MalformedRequestError } from '../errors/request-errors';
import { MAX_NESTING, nestingDepth } from './nesting';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Stands for a body that cannot be read, until the guards have let the caller in: a stranger is told only that it is one. */
class UnreadableBody {
  constructor(readonly error: MalformedRequestError) {}
}

/**
 * JSON is the only body an app takes: strict UTF-8, no `__proto__` or `constructor.prototype` keys, no deep nesting. An empty
 * body counts as none. The raw bytes stay on `request.rawBody`. What cannot be read is refused by {@link ReadableBodyInterceptor}.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const unreadable = (reason: string): void => done(null, new UnreadableBody(new MalformedRequestError(reason)));
    (request as FastifyRequest & { rawBody?: Buffer }).rawBody = body;
    if (body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      return unreadable('The body is not UTF-8.');
    }
    if (nestingDepth(text) > MAX_NESTING) return unreadable(`The body is nested deeper than ${MAX_NESTING}.`);
    void parse(request, text, (error, value) =>
      error ? unreadable('The body is not valid JSON.') : done(null, value),
    );
  });
}

/** Refuses unreadable bodies behind the guards, also where the handler looks at no body. */
@Injectable()
export class ReadableBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body instanceof UnreadableBody) throw body.error;
    return next.handle();
  }
}
