import { Client } from 'pg';
import { createDataSource } from './data-source';

/** A TypeORM migration class. */
export type MigrationClass = new () => import('typeorm').MigrationInterface;

/** One app's schema and what builds it. The role that owns it has the same name. */
export interface SchemaDefinition {
  readonly schema: string;
  readonly migrations: readonly MigrationClass[];
}

export interface MigrateOptions extends SchemaDefinition {
  /** URL of a role that may create roles and schemas. */
  superuserUrl: string;
  /** The password that the schema's own role gets. */
  rolePassword: string;
  /** Gets one line for each migration that ran. */
  log?: (line: string) => void;
}

const SAFE_NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** The given URL with another role's credentials. */
export function urlForRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(role);
  changed.password = encodeURIComponent(password);
  return changed.toString();
}

/**
 * Brings one schema up to date: makes its role and schema when absent, then runs the pending migrations as that role, each
 * in its own transaction. TypeORM takes no lock of its own, so an advisory lock keeps two runs apart.
 *
 * @returns the names of the migrations that ran, in order
 */
export async function migrateSchema(options: MigrateOptions): Promise<string[]> {
  const { schema } = options;
  if (!SAFE_NAME.test(schema)) throw new Error(`"${schema}" is no schema name: lower case letters, digits, _`);
  const client = new Client({ connectionString: options.superuserUrl, application_name: `migrate-${schema}` });
  await client.connect();
  try {
    // Roles belong to the whole server: one lock for all schemas and databases, held until this connection ends.
    await client.query(`select pg_advisory_lock(hashtext('tandem.migrate'))`);
    await ensureRole(client, schema, options.rolePassword);
    await client.query(`create schema if not exists ${schema} authorization ${schema}`);
    return await runMigrations(options);
  } finally {
    await client.end();
  }
}

async function ensureRole(client: Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  await client.query(`${rowCount ? 'alter' : 'create'} role ${role} login password ${client.escapeLiteral(password)}`);
}

async function runMigrations(options: MigrateOptions): Promise<string[]> {
  const source = createDataSource({
    url: urlForRole(options.superuserUrl, options.schema, options.rolePassword),
    applicationName: `migrate-${options.schema}`,
    migrations: [...options.migrations],
    poolMax: 2,
    statementTimeoutMs: 10 * 60_000,
  });
  await source.initialize();
  try {
    const ran = await source.runMigrations();
    return ran.map(({ name }) => {
      options.log?.(`${options.schema}: ${name}`);
      return name;
    });
  } finally {
    await source.destroy();
  }
}
