import { hashPartnerToken } from '@tandem/auth';
import fastify from 'fastify';
import { Pool } from 'pg';

/**
 * The bare server with which the apps are compared: Fastify and pg in a separate process, with one query per request.
 * It has as many connections to Postgres as an app, but no validation, permissions, limits or log, and calls no other
 * app.
 */
const { DATABASE_URL, AUTHENTICATE_SQL = '', PAGE_SQL = '' } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });
const server = fastify();

server.get('/authenticate', async ({ headers }) => {
  const values = [[hashPartnerToken(headers.authorization?.slice('Bearer '.length) ?? '')]];
  const { rows } = await pool.query({ name: 'authenticate', text: AUTHENTICATE_SQL, values });
  if (rows.length !== 1) throw new Error('there is no such token');
  return rows[0] as object;
});

interface PageQuery {
  group: string;
  partner: string;
  before: string;
  limit: string;
}

server.get<{ Querystring: PageQuery }>('/page', async ({ query: { group, partner, before, limit } }) => {
  const values = [group, partner, 'live', before, limit];
  const { rows } = await pool.query({ name: 'page', text: PAGE_SQL, values });
  return { items: rows };
});

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
server.listen({ host: '127.0.0.1', port: 0 }).then(
  (url) => process.send?.({ url }),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
