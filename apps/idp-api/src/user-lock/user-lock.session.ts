import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeClient, type DatabaseClient, openClient } from '@tandem/database';
import { IdpApiConfig } from '../config';

const KEY = `hashtextextended('idp.user.' || $1, 0)`;

/**
 * Session locks of Postgres, all on one connection beside the pool: they hold over all replicas, take no connection from requests
 * while the vendor is waited for, and end with the process however that ends.
 */
@Injectable()
export class UserLockSession implements OnApplicationShutdown {
  private client?: Promise<DatabaseClient>;

  constructor(private readonly config: IdpApiConfig) {}

  /** Takes a user's lock if no other process has it. Not to be asked for a lock that this process has. */
  async tryLock(krn: string): Promise<boolean> {
    const { rows } = (await (await this.connect()).query(`select pg_try_advisory_lock(${KEY}) as locked`, [krn])) as {
      rows: { locked: boolean }[];
    };
    return rows[0]?.locked === true;
  }

  /** Gives a lock back. A connection that broke has given back all of them. */
  async unlock(krn: string): Promise<void> {
    try {
      await (await this.connect()).query(`select pg_advisory_unlock(${KEY})`, [krn]);
    } catch {
      this.drop();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const client = await this.client?.catch(() => undefined);
    if (client) await closeClient(client);
  }

  private connect(): Promise<DatabaseClient> {
    if (!this.client) {
      const opening = this.open();
      this.client = opening;
      opening.catch(() => this.drop());
    }
    return this.client;
  }

  private async open(): Promise<DatabaseClient> {
    const client = await openClient({
      connectionString: this.config.DATABASE_URL,
      application_name: 'idp-api user locks',
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    client.once('end', () => this.drop());
    return client;
  }

  /** The next look-up opens a new connection. */
  private drop(): void {
    const broken = this.client;
    this.client = undefined;
    void broken?.then(closeClient, () => undefined);
  }
}
