import fastify from 'fastify';
import { Pool } from 'pg';

/**
 * The bare server with which webhook-ingest is compared: Fastify and pg in a separate process. It parses the body of a
 * webhook, inserts one row, and commits. It checks no signature, and has no validation, encryption, event or log.
 */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const server = fastify();

const INSERT = 'insert into bare_webhook (id, received_at, body) values ($1, $2, $3)';

server.post('/webhook', async ({ headers, body }) => {
  const values = [headers['webhook-id'], new Date(), JSON.stringify(body)];
  await pool.query({ name: 'insert', text: INSERT, values });
  return { received: true };
});

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
server.listen({ host: '127.0.0.1', port: 0 }).then(
  (url) => process.send?.({ url }),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
