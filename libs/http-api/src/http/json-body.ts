import {
  type CallHandler,
  type ExecutionContext,
  type INestApplication,
  type NestInterceptor,
  RequestMethod,
  UseInterceptors,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { UnreadableBodyError } from '../errors/request-errors';
import { MAX_NESTING, nestingDepth } from './nesting';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Takes the place of an unreadable body until the body's signature is verified and the guards have run. A caller that
 * is refused by one of these checks gets the error of the check, not the error of the body.
 */
class UnreadableBody {
  constructor(readonly error: UnreadableBodyError) {}
}

/**
 * Makes an app accept only JSON bodies: strict UTF-8, no `__proto__` or `constructor.prototype` keys, no deep nesting. An empty JSON
 * body counts as no body. A body of another type counts as no body if `Content-Length` is 0, and is otherwise refused (415), as is a
 * compressed body. The raw bytes stay on `request.rawBody`. A JSON body that cannot be read is refused later, by
 * {@link refuseUnreadableBodies}.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const unreadable = (reason: string): void => done(null, new UnreadableBody(new UnreadableBodyError(reason)));
    if (isEncoded(request)) return done(new UnsupportedEncodingError());
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
  fastify.addContentTypeParser('*', (request, _body, done) => {
    const isIgnored = request.is404 || (request.headers['content-length'] === '0' && !isEncoded(request));
    done(isIgnored ? null : new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}

/** Whether the body is compressed or has another content encoding: no app decodes bodies. */
export function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity';
}

class UnsupportedEncodingError extends Error {
  readonly statusCode = 415;

  constructor() {
    super('Content-Encoding is not supported: send the body as it is.');
  }
}

class ReadableBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body instanceof UnreadableBody) throw body.error;
    return next.handle();
  }
}

const readableBody = new ReadableBodyInterceptor();
/** The handlers that already have the interceptor. Several apps in one process can share a handler, which must get it once. */
const guarded = new WeakSet<object>();

/**
 * Refuses unreadable bodies after the guards, even if the handler reads no body. It adds an interceptor to each handler
 * that may get a body. A global interceptor would slow down GET requests too. Call it before the routes are created.
 */
export function refuseUnreadableBodies(nest: INestApplication): void {
  const scanner = new MetadataScanner();
  for (const { controllers } of nest.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      const prototype = (metatype as { prototype: object }).prototype;
      for (const name of scanner.getAllMethodNames(prototype)) refuseAt(prototype, name);
    }
  }
}

function refuseAt(prototype: object, name: string): void {
  const handler = (prototype as Record<string, object>)[name] as object;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined || method === RequestMethod.GET || method === RequestMethod.HEAD || guarded.has(handler))
    return;
  guarded.add(handler);
  UseInterceptors(readableBody)(prototype, name, { value: handler });
}
