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
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly config: IdpApiConfig) {}

  /** Takes a user's lock if no other process has it. Not to be asked for a lock that this process has. */
  tryLock(krn: string): Promise<boolean> {
    return this.ask(`select pg_try_advisory_lock(${KEY}) as done`, krn);
  }

  /** Gives a lock back. A connection that broke has given back all of them. */
  async unlock(krn: string): Promise<void> {
    await this.ask(`select pg_advisory_unlock(${KEY}) as done`, krn).catch(() => this.drop());
  }

  async onApplicationShutdown(): Promise<void> {
    const client = await this.client?.catch(() => undefined);
    if (client) await closeClient(client);
  }

  /** A connection runs one statement at a time. */
  private ask(statement: string, krn: string): Promise<boolean> {
    const answer = this.last.then(async () => {
      const client = await this.connect();
      const { rows } = (await client.query(statement, [krn])) as { rows: { done: boolean }[] };
      return rows[0]?.done === true;
    });
    this.last = answer.catch(() => undefined);
    return answer;
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
