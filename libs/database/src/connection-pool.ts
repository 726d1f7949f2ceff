import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { UNANSWERED } from './database-client';

/** The pools of this process by their `application_name`; tests start several apps in one process. */
export const openPools = new Map<string, ConnectionPool>();

/**
 * The connections of an app to its database, shown on /metrics under their `application_name` until the pool has ended.
 *
 * If a server vanishes without a notice, its connections stay open. When a statement on one of them gets no answer at all, the pool also
 * closes those that are idle. Otherwise each of the caller's next statements could wait as long on another of them.
 */
export class ConnectionPool extends Pool {
  private readonly idle = new Set<PoolClient>();

  constructor(config: PoolConfig & { application_name: string }) {
    super(config);
    openPools.set(config.application_name, this);
    this.on('connect', (client) => client.once(UNANSWERED, () => this.closeIdle()));
    this.on('acquire', (client) => this.idle.delete(client));
    this.on('release', (_error, client) => this.idle.add(client));
    this.on('remove', (client) => this.idle.delete(client));
  }

  /** The pool removes an idle connection that breaks. */
  private closeIdle(): void {
    for (const { connection } of this.idle) connection.stream.destroy(new Error('the server no longer answers'));
  }
}
