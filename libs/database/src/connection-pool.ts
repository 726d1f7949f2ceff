import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { UNANSWERED } from './database-client';

/** The pools of this process by their `application_name`; tests start several apps in one process. */
export const openPools = new Map<string, ConnectionPool>();

/** The connections of an app to its database, shown on /metrics under their `application_name` until the pool has ended. */
export class ConnectionPool extends Pool {
  constructor(config: PoolConfig & { application_name: string }) {
    super(config);
    openPools.set(config.application_name, this);
    closeIdleWhenUnanswered(this);
  }
}

/**
 * Makes a pool of `DatabaseClient`s close its idle connections when a statement on one of its connections gets no answer. If a server
 * vanishes without a notice, its connections stay open, and otherwise each next statement could wait as long on another of them.
 */
export function closeIdleWhenUnanswered(pool: Pool): void {
  const idle = new Set<PoolClient>();
  pool.on('connect', (client) =>
    client.once(UNANSWERED, () => {
      // The socket of this connection is only being closed: without its end, the pool could hand it out once more.
      client.end().catch(() => undefined);
      // The pool removes an idle connection that breaks.
      for (const { connection } of idle) connection.stream.destroy(new Error('Connection terminated: no answer'));
    }),
  );
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
}
