import { JwtVerifier } from '@tandem/auth';
import fastify from 'fastify';
import { Pool } from 'pg';
import { Agent, request } from 'undici';
import { ALERTS_PATH, DASHBOARD_PATHS } from './answers';
import { ISSUER } from './tokens';

/**
 * The bare server with which idp-api is compared: Fastify in a separate process.
 * - For alerts and dashboards, it makes the same calls to the vendor as idp-api, with undici.
 * - For a profile, it checks the token and runs one query with pg.
 *
 * It has no permissions, no limits, no validation and no log.
 */
const { DATABASE_URL, VENDOR_URL = '', JWKS_URL = '', PROFILE_SQL = '' } = process.env;
const agent = new Agent();
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });
const tokens = new JwtVerifier({
  audience: 'tandem',
  issuers: [{ family: 'service', issuer: ISSUER, jwksUrl: JWKS_URL }],
});
const server = fastify();

async function read(path: string): Promise<unknown> {
  const { body } = await request(`${VENDOR_URL}${path}?appKey=bench&clientKey=bench`, { dispatcher: agent });
  return body.json();
}

server.get('/alerts', () => read(ALERTS_PATH));

server.get('/dashboard', async () => {
  const answers = await Promise.all(DASHBOARD_PATHS.map(read));
  return Object.fromEntries(DASHBOARD_PATHS.map((path, index) => [path, { Ok: answers[index] }]));
});

server.get('/profile', async ({ headers }) => {
  const { subject } = await tokens.verify(headers.authorization?.slice('Bearer '.length) ?? '');
  const { rows } = await pool.query({ name: 'profile', text: PROFILE_SQL, values: [subject] });
  if (rows.length !== 1) throw new Error('there is no such profile');
  return rows[0] as object;
});

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
server.listen({ host: '127.0.0.1', port: 0 }).then(
  (url) => process.send?.({ url }),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
