import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { UNUSABLE } from './database-client';

/** The measured pools of this process, by `application_name`. Only a test has several: it may start several apps in one process. */
export const openPools = new Map<string, Pool>();

/** The class of every data source's pool. See {@link closeIdleWhenUnusable}. */
export class ConnectionPool extends Pool {
  constructor(config: PoolConfig) {
    super(config);
    closeIdleWhenUnusable(this);
  }
}

/**
 * The pool of the data source that Nest injects. /metrics shows it under its `application_name` until it has ended.
 */
export class MeasuredPool extends ConnectionPool {
  constructor(config: PoolConfig & { application_name: string }) {
    super(config);
    openPools.set(config.application_name, this);
  }
}

/**
 * Makes a pool of `DatabaseClient`s close each connection that emits `UNUSABLE`, and then all idle connections of the
 * pool. When a server vanishes without notice, or becomes a standby, the connections to it stay open. If the pool kept
 * them, each further statement could fail on another of these connections.
 */
export function closeIdleWhenUnusable(pool: Pool): void {
  const idle = new Set<PoolClient>();
  pool.on('connect', (client) =>
    client.once(UNUSABLE, () => {
      // The pool does not hand out a connection that is ending.
      client.end().catch(() => undefined);
      // The pool removes an idle connection whose socket is destroyed.
      for (const { connection } of idle)
        connection.stream.destroy(new Error('Connection terminated: the server has become unusable'));
    }),
  );
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
}
