import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeClient, type DatabaseClient, openClient } from '@tandem/database';
import { IdpApiConfig } from '../config';

const KEY = `hashtextextended('idp.user.' || $1, 0)`;

/**
 * Session locks of Postgres, all on one connection outside the pool: they hold across all replicas, take no connection from requests
 * while the vendor is waited for, and end with the process however that ends.
 */
@Injectable()
export class UserLockSession implements OnApplicationShutdown {
  private session?: Promise<DatabaseClient>;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly config: IdpApiConfig) {}

  /** Takes a user's lock if no other process has it. Not to be asked for a lock that this process has. */
  tryLock(krn: string): Promise<boolean> {
    return this.ask(`select pg_try_advisory_lock(${KEY}) as done`, krn);
  }

  /** Gives a lock back. A connection that broke has given back all of them. */
  async unlock(krn: string): Promise<void> {
    await this.ask(`select pg_advisory_unlock(${KEY}) as done`, krn).catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    const client = await this.session?.catch(() => undefined);
    if (client) await closeClient(client);
  }

  /** A connection runs one statement at a time. */
  private ask(statement: string, krn: string): Promise<boolean> {
    const answer = this.last.then(async () => {
      const session = this.connect();
      try {
        const { rows } = (await (await session).query(statement, [krn])) as { rows: { done: boolean }[] };
        return rows[0]?.done === true;
      } catch (error) {
        // The server may still grant the lock, and nothing would release it: the end of the session does.
        this.drop(session);
        throw error;
      }
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private connect(): Promise<DatabaseClient> {
    if (this.session) return this.session;
    const session = this.open();
    this.session = session;
    session.then(
      (client) => client.once('end', () => this.drop(session)),
      () => this.drop(session),
    );
    return session;
  }

  private open(): Promise<DatabaseClient> {
    return openClient({
      connectionString: this.config.DATABASE_URL,
      application_name: 'idp-api user locks',
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
  }

  /** Ends a session, which frees its locks. The next statement opens another one; that one is left alone by the late end of this one. */
  private drop(session: Promise<DatabaseClient>): void {
    if (this.session !== session) return;
    this.session = undefined;
    void session.then(closeClient, () => undefined);
  }
}
