import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './data-source';
import { closeClient, openClient } from './database-client';
import type { MigrationClass } from './migration-class';
import { runUnlessLocked, withLockTimeout } from './locked-tables';

/**
 * A schema and its migrations. The schema belongs to the role `<schema>_owner`, which cannot log in; the app logs in as
 * the role `<schema>`, which can read and write rows and owns nothing.
 */
export interface SchemaDefinition {
  readonly schema: string;
  readonly migrations: readonly MigrationClass[];
  /**
   * Whether the app creates and drops tables at run time. If so, its role may `SET ROLE <schema>_owner`. Default false.
   */
  readonly maintenance?: boolean;
  /** Whether there is a role `<schema>` that logs in. Default true. */
  readonly login?: boolean;
  /**
   * The append-only tables by name, each with the columns that the role `<schema>` may update. The role can neither
   * delete rows of these tables nor update other columns.
   */
  readonly appendOnly?: Readonly<Record<string, readonly string[]>>;
}

export interface MigrateOptions extends SchemaDefinition {
  /** URL of a superuser. */
  superuserUrl: string;
  /** The password for the role `<schema>`; required unless `login` is false. */
  rolePassword?: string;
  /** Maximum duration of a statement without `concurrently`, ms. Default 600,000. */
  statementTimeoutMs?: number;
  /** Called with one line per applied migration, and once when a table is locked. */
  log?: (line: string) => void;
}

const LOCK_PAUSE_MS = 100;
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

/** SQLSTATE invalid_catalog_name: the database of the connection does not exist. */
const MISSING_DATABASE = '3D000';
/**
 * SQLSTATE duplicate_database, or unique_violation in the catalog when two processes create the database at the same
 * moment.
 */
const MADE_MEANWHILE: readonly string[] = ['42P04', '23505'];

const SAFE_NAME = /^[a-z][a-z0-9_]{0,56}$/;

/** Returns the given URL with another role's credentials. */
export function urlForRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(role);
  changed.password = encodeURIComponent(password);
  return changed.toString();
}

/**
 * Brings one schema up to date. It creates the schema and its roles if they are missing, and transfers objects that the
 * role `<schema>` owned in an older installation to `<schema>_owner`. Then it runs the pending migrations as the owner,
 * each in its own transaction (except migrations with `transaction = false`). An advisory lock serializes the runs on one
 * database, because TypeORM takes no lock of its own.
 *
 * @returns the names of the applied migrations, in order
 */
export async function migrateSchema(options: MigrateOptions): Promise<string[]> {
  const { schema } = options;
  if (!SAFE_NAME.test(schema))
    throw new Error(`"${schema}" is not a schema name: at most 57 lower-case letters, digits and _, first a letter`);
  return withMigrationLock(options.superuserUrl, `migrate-${schema}`, async (client) => {
    // `ensureOwner` can take objects from the app's role, and `ensureLogin` grants rights on these objects to the role.
    // This is one transaction, so that a running app always has its rights.
    await client.query('begin');
    await ensureOwner(client, schema);
    await ensureLogin(client, options);
    await client.query('commit');
    const ran = await runMigrations(options);
    if (options.login !== false) {
      // `restrictTables` revokes rights on whole tables, and then grants the rights on single columns again. This is one
      // transaction as well, so that a running app always has the rights on these columns.
      await client.query('begin');
      await client.query(`revoke insert, update, delete on ${schema}.migrations from ${schema}`);
      await restrictTables(client, options);
      await client.query('commit');
    }
    return ran;
  });
}

/**
 * Runs `work` while nothing else migrates the database. The lock belongs to the connection passed to `work`, and is
 * released within half a minute after the machine of that connection has vanished.
 *
 * @param applicationName shown in pg_stat_activity
 */
export async function withMigrationLock<T>(
  url: string,
  applicationName: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client: Client = await openClient({ connectionString: url, application_name: applicationName });
  try {
    // The lock is polled, because a statement that waits for it would hold a snapshot. A `create index concurrently` in
    // the migration that holds the lock would wait until this snapshot is released.
    const take = `select pg_try_advisory_lock(hashtext('tandem.migrate')) as taken`;
    while (!(await client.query<{ taken: boolean }>(take)).rows[0]?.taken) await sleep(LOCK_PAUSE_MS);
    return await work(client);
  } finally {
    await closeClient(client);
  }
}

/**
 * Creates the database of the URL if it is missing. Several processes may call this at the same time.
 *
 * @param url with a role that may create databases, and that may connect to the server's database `postgres`
 */
export async function ensureDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'migrate' });
  try {
    await client.connect();
    return;
  } catch (error) {
    if ((error as { code?: string }).code !== MISSING_DATABASE) throw error;
  } finally {
    await client.end();
  }
  const server = new URL(url);
  const name = decodeURIComponent(server.pathname.slice(1));
  server.pathname = '/postgres';
  const creator = new Client({ connectionString: server.toString(), application_name: 'migrate' });
  await creator.connect();
  try {
    await creator.query(`create database ${creator.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process has created it in the meantime.
    if (!MADE_MEANWHILE.includes((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await creator.end();
  }
}

async function hasRole(client: Client, role: string): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  return rowCount === 1;
}

/** Creates the schema, and the role that owns the schema and everything in it. */
async function ensureOwner(client: Client, schema: string): Promise<void> {
  const owner = `${schema}_owner`;
  if (!(await hasRole(client, owner))) await client.query(`create role ${owner} nologin`);
  if (await hasRole(client, schema)) await client.query(`reassign owned by ${schema} to ${owner}`);
  await client.query(`create schema if not exists ${schema} authorization ${owner}`);
  await client.query(`alter default privileges for role ${owner} revoke execute on functions from public`);
  await client.query(`revoke execute on all functions in schema ${schema} from public`);
}

/**
 * Creates the app's login role, or sets its password, and grants its rights on existing objects and on objects that the
 * owner will create. If `login` is false, only disables the login of a role that exists.
 */
async function ensureLogin(client: Client, options: MigrateOptions): Promise<void> {
  const { schema, rolePassword } = options;
  const owner = `${schema}_owner`;
  const exists = await hasRole(client, schema);
  if (options.login === false) {
    if (exists) await client.query(`alter role ${schema} nologin`);
    return;
  }
  if (rolePassword === undefined) throw new Error(`the role ${schema} needs a password`);
  await client.query(
    `${exists ? 'alter' : 'create'} role ${schema} login noinherit password ${client.escapeLiteral(rolePassword)}`,
  );
  // The role does not inherit the owner's rights: they apply only after SET ROLE.
  await client.query(options.maintenance ? `grant ${owner} to ${schema}` : `revoke ${owner} from ${schema}`);
  await client.query(`grant usage on schema ${schema} to ${schema}`);
  for (const [rights, kind] of [
    ['select, insert, update, delete', 'tables'],
    ['usage', 'sequences'],
    ['execute', 'functions'],
  ] as const) {
    await client.query(`grant ${rights} on all ${kind} in schema ${schema} to ${schema}`);
    await client.query(
      `alter default privileges for role ${owner} in schema ${schema} grant ${rights} on ${kind} to ${schema}`,
    );
  }
  await restrictTables(client, options);
}

/**
 * Revokes the rights to update and delete rows, which `ensureLogin` grants, on each append-only table that exists. The
 * columns listed in `appendOnly` stay updatable.
 */
async function restrictTables(client: Client, { schema, appendOnly = {} }: MigrateOptions): Promise<void> {
  for (const [name, columns] of Object.entries(appendOnly)) {
    const table = `${schema}.${name}`;
    const { rowCount } = await client.query('select 1 where to_regclass($1) is not null', [table]);
    if (rowCount === 0) continue;
    // Revoking a right on the table also revokes it on the columns.
    await client.query(`revoke update, delete on ${table} from ${schema}`);
    if (columns.length > 0) await client.query(`grant update (${columns.join()}) on ${table} to ${schema}`);
  }
}

/**
 * Runs the pending migrations with the owner's rights only. The connection logs in as a superuser and sets the owner's
 * role, because the owner cannot log in.
 */
async function runMigrations(migrate: MigrateOptions): Promise<string[]> {
  const { schema, superuserUrl, migrations, statementTimeoutMs = STATEMENT_TIMEOUT_MS, log } = migrate;
  const options = dataSourceOptions({
    url: superuserUrl,
    applicationName: `migrate-${schema}`,
    migrations: migrations.map(withLockTimeout),
    poolMax: 2,
    statementTimeoutMs,
  });
  const asOwner = `${options.extra.options} -c role=${schema}_owner -c search_path=${schema}`;
  // The client has no time limit of its own, because a statement with `concurrently` has none. If the server vanishes,
  // TCP keepalives end the connection.
  const source = new DataSource({ ...options, extra: { ...options.extra, options: asOwner, query_timeout: 0 } });
  await source.initialize();
  try {
    const ran = await runUnlessLocked(source, schema, () =>
      log?.(`${schema}: a table is locked by a running transaction, trying again`),
    );
    return ran.map(({ name }) => {
      log?.(`${schema}: ${name}`);
      return name;
    });
  } finally {
    await source.destroy();
  }
}
