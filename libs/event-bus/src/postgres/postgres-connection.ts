import { DatabaseClient, openClient } from '@tandem/database';
import { type Client, Pool } from 'pg';

/**
 * A connection that lasts, outside of any pool. Both sides notice a peer that vanished silently: ours by the bound on every
 * query, the server by keepalives, so that what the session held (a lock) is freed within half a minute.
 */
export async function openConnection(url: string, applicationName: string, onLost: () => void): Promise<Client> {
  const client = await openClient({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    query_timeout: 15_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // Only now: a failed connect is thrown and not reported as lost, and `onLost` may use the client that is returned here.
  client.on('error', onLost).on('end', onLost);
  return client;
}

/** A small pool on the bus, beside the app's own. */
export function openPool(url: string, applicationName: string, max: number): Pool {
  const pool = new Pool({
    Client: DatabaseClient,
    connectionString: url,
    application_name: applicationName,
    max,
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
    statement_timeout: 15_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined); // a broken idle connection is replaced by the next query
  return pool;
}
