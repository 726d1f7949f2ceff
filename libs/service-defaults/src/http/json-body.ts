import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MalformedRequestError } from '../errors/request-errors';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON is the only body an app takes: strict UTF-8, and no `__proto__` or `constructor.prototype` keys. An empty body counts
 * as none. The raw bytes stay on `request.rawBody`.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    (request as FastifyRequest & { rawBody?: Buffer }).rawBody = body;
    if (body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      return done(new MalformedRequestError('The body is not UTF-8.'));
    }
    void parse(request, text, (error, value) =>
      done(error ? new MalformedRequestError('The body is not valid JSON.') : null, value),
    );
  });
}
