import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { closeClient, type DatabaseClient, openClient, ReadOnlyServerError } from '@tandem/database';
import { IdpApiConfig } from '../config';

const KEY = `hashtextextended('idp.user.' || $1, 0)`;

interface Answer {
  readonly done: boolean;
  /** `on` if the server accepts only reads. */
  readonly readOnly?: string;
}

/**
 * Takes session locks of Postgres, all on one connection outside the pool. The locks apply across all replicas, occupy no pooled connection
 * during calls to the vendor, and end with the process, even if it is killed.
 */
@Injectable()
export class UserLockSession implements OnApplicationShutdown {
  private session?: Promise<DatabaseClient>;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly config: IdpApiConfig) {}

  /**
   * Takes a user's lock if no other process holds it. Must not be called for a lock that this process holds.
   *
   * @throws when the server cannot be reached, or accepts only reads (ReadOnlyServerError). The next call then opens a new connection: a
   *  server that accepts only reads may be a former primary, and other processes may already take their locks on the new one
   */
  tryLock(krn: string): Promise<boolean> {
    // The statement uses no table. Otherwise, it would wait for migrations of the table, and its timeout would end the session with all locks.
    return this.ask(
      `select pg_try_advisory_lock(${KEY}) as done, current_setting('transaction_read_only') as "readOnly"`,
      krn,
    );
  }

  /** Releases a lock if its session has not ended. An error is ignored, because an error ends the session, and the end releases all locks. */
  async unlock(krn: string): Promise<void> {
    await this.ask(`select pg_advisory_unlock(${KEY}) as done`, krn, () => this.session).catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    const client = await this.session?.catch(() => undefined);
    if (client) await closeClient(client);
  }

  /**
   * Runs a statement after the previous one, because a connection runs only one statement at a time.
   *
   * @param open returns the session to use; without a session, the statement is not run and the result is false
   */
  private ask(
    statement: string,
    krn: string,
    open: () => Promise<DatabaseClient> | undefined = () => this.connect(),
  ): Promise<boolean> {
    const answer = this.last.then(async () => {
      const session = open();
      if (!session) return false;
      try {
        const { rows } = (await (await session).query(statement, [krn])) as { rows: Answer[] };
        if (rows[0]?.readOnly === 'on') throw new ReadOnlyServerError();
        return rows[0]?.done === true;
      } catch (error) {
        // The server may have granted the lock, or may still grant it. In both cases, only the end of the session releases it.
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

  /** Ends a session, which releases its locks. The next statement opens a new session, even if the old session has not ended yet. */
  private drop(session: Promise<DatabaseClient>): void {
    if (this.session !== session) return;
    this.session = undefined;
    void session.then(closeClient, () => undefined);
  }
}
