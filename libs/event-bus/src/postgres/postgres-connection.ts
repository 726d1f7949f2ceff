import { closeIdleWhenUnusable, DatabaseClient, openClient } from '@tandem/database';
import { type Client, Pool } from 'pg';

/**
 * Opens a long-lived connection outside of any pool. Both sides detect a peer that vanished silently: the client by a
 * time limit on every query, the server by keepalives. So the locks of a session whose client vanished are released
 * within half a minute. `onLost` is called, possibly twice, when the connection fails or ends.
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
  // The listeners are added only now, for two reasons: a failed connect throws and must not also call `onLost`, and
  // `onLost` may use the client that is returned here.
  client.on('error', onLost).on('end', onLost);
  return client;
}

/** Opens a small pool of connections to the bus, in addition to the app's own pool. */
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
  pool.on('error', () => undefined); // the next query replaces a broken idle connection
  closeIdleWhenUnusable(pool);
  return pool;
}
