import fastify from 'fastify';

/**
 * The bare server with which discovery is compared: Fastify in a separate process. It answers every request with one
 * body and its ETag, or with 304. It checks no token, and has no validation, metrics or log.
 */
const { BODY = '', ETAG = '' } = process.env;
const body = Buffer.from(BODY);
const server = fastify();

server.get('/locations', ({ headers }, reply) => {
  void reply.header('etag', ETAG).header('cache-control', 'private, max-age=600');
  if (headers['if-none-match'] === ETAG) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
});

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
server.listen({ host: '127.0.0.1', port: 0 }).then(
  (url) => process.send?.({ url }),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
