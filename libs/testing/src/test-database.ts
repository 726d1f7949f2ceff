import { createHash, randomBytes } from 'node:crypto';
import { Client, Pool, type QueryResultRow } from 'pg';
import { claimTestServer, testServerUrl } from './test-server';

/** The password of every role in test databases. */
export const TEST_ROLE_PASSWORD = 'test';

export interface TestDatabaseOptions {
  /** The name of the template database that `prepare` migrates. Equal names share one template, so the name must contain a version. */
  template: string;
  /** Migrates an empty database through its superuser URL; roles must get the password `test`. */
  prepare: (superuserUrl: string) => Promise<void>;
}

/** An event as an app published it. */
export interface PublishedEvent {
  readonly id: string;
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly data: Record<string, unknown>;
}

/** A fresh, migrated database for one test file. */
export class TestDatabase {
  private readonly pool: Pool;

  constructor(
    readonly superuserUrl: string,
    private readonly serverUrl: string,
    readonly name: string,
  ) {
    this.pool = new Pool({ connectionString: superuserUrl, max: 2 });
    this.pool.on('error', () => undefined);
  }

  /** Returns the URL of this database for a role, which has the name of its schema. */
  urlFor(role: string): string {
    const url = new URL(this.superuserUrl);
    url.username = role;
    url.password = TEST_ROLE_PASSWORD;
    return url.toString();
  }

  /** Runs a statement as superuser; qualify tables with their schema. */
  async query<T extends QueryResultRow = Record<string, unknown>>(sql: string, params: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(sql, params)).rows;
  }

  /**
   * Returns the events that an app published. An event that the relay is sending can be in the outbox and on the
   * Postgres bus at the same time; it is returned only once.
   *
   * @param schema the schema of the app
   * @param keyPrefix a prefix of the events' keys, such as a whole id
   */
  async publishedEvents(schema: string, topic: string, keyPrefix: string): Promise<PublishedEvent[]> {
    const rows = await this.query<Omit<PublishedEvent, 'data'> & { data: string }>(
      `select distinct on (key, id) * from (
         select event_id::text as id, key, headers, convert_from(payload, 'UTF8') as data from ${schema}.outbox
           where topic = $1 and starts_with(key, $2)
         union all
         select headers ->> 'ce_id', key, headers, convert_from(value, 'UTF8') from bus.event_log
           where topic = $1 and starts_with(key, $2)
       ) as published order by key, id`,
      [topic, keyPrefix],
    );
    return rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> }));
  }

  /** Drops the database and terminates its remaining connections. */
  async drop(): Promise<void> {
    await this.pool.end();
    await withClient(this.serverUrl, (client) => client.query(`drop database if exists ${this.name} with (force)`));
  }
}

/**
 * Clones a migrated template. If the template is missing, creates it first. Parallel workers may call this function at the same time.
 *
 * @throws when DATABASE_URL is not set, or its server is not a test server
 */
export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const serverUrl = testServerUrl();
  const template = `tpl_${createHash('sha256').update(options.template).digest('hex').slice(0, 16)}`;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withClient(serverUrl, async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('tandem.test-template'))`);
    await claimTestServer(client);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (!rowCount) await makeTemplate(client, serverUrl, template, options.prepare);
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return new TestDatabase(databaseUrl(serverUrl, name), serverUrl, name);
}

/** Creates the template under another name and renames it, so that an incomplete template never has the final name. */
async function makeTemplate(
  client: Client,
  serverUrl: string,
  template: string,
  prepare: TestDatabaseOptions['prepare'],
): Promise<void> {
  const draft = `${template}_draft`;
  await client.query(`drop database if exists ${draft} with (force)`);
  await client.query(`create database ${draft}`);
  await prepare(databaseUrl(serverUrl, draft));
  await client.query(`alter database ${draft} rename to ${template}`);
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
