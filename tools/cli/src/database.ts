import { Client } from 'pg';

/** How long to wait for a connection, and for the result of each statement, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Connects to a database, runs `work`, and disconnects.
 *
 * @param url the database URL of a superuser
 * @param role the role that `work` runs as. Default: the superuser
 */
export async function inDatabase<T>(url: string, work: (client: Client) => Promise<T>, role?: string): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'tandem-cli',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  await client.connect().catch((error: unknown) => {
    throw unreachable(url, error);
  });
  try {
    if (role !== undefined) await client.query(`set role ${role}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

function unreachable(url: string, error: unknown): Error {
  const { code, message } = error as Error & { code?: string };
  return new Error(`Postgres at ${new URL(url).host} accepts no connection: ${message || code}`, { cause: error });
}
