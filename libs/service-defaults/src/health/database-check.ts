import { closeClient, type DatabaseClient, openClient } from '@tandem/database';
import type { HealthCheck, HealthReport } from './health';

/** Timeout of opening the connection, and also of each query. */
const TIMEOUT_MS = 1_000;

/**
 * Reports ready while Postgres answers. A Postgres that accepts only reads counts as ready, because the app can still serve
 * reads. The check uses its own connection, because an app whose pool is busy can still serve requests.
 */
export class DatabaseCheck implements HealthCheck {
  readonly name = 'database';
  private connection?: Promise<DatabaseClient>;
  private asking?: Promise<HealthReport>;

  constructor(private readonly url: string) {}

  /** Queries the server. Concurrent checks share one query. */
  ready(): Promise<HealthReport> {
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.then(closeClient, () => undefined);
  }

  private async ask(): Promise<HealthReport> {
    try {
      const client = await this.connect();
      const { rows }: { rows: readonly { readOnly: string }[] } = await client.query(
        `select current_setting('transaction_read_only') as "readOnly"`,
      );
      // If the server is a former primary, only a new connection shows the state of the present primary.
      if (rows[0]?.readOnly === 'on') void this.close();
      return { ok: true };
    } catch (error) {
      void this.close();
      return { ok: false, detail: (error as Error).message };
    }
  }

  private connect(): Promise<DatabaseClient> {
    if (this.connection) return this.connection;
    const opened = openClient({
      connectionString: this.url,
      application_name: 'readyz',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    this.connection = opened;
    const forget = (): void => {
      if (this.connection === opened) this.connection = undefined;
    };
    // A connection that a restart of the server has closed does not show the server's current state, so the next check connects again.
    opened.then((client) => client.once('end', forget), forget);
    return opened;
  }
}
