import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { migrateSchema, SchemaDefinition, urlForRole } from '@tandem/database';
import { BUS_SCHEMA, ensureTopics, grantBus } from '@tandem/messaging';
import { Client, Pool } from 'pg';
import { ROOT } from '../processes/child';

/** A separate database for one measurement. */
export class BenchDatabase {
  readonly password = randomBytes(12).toString('hex');

  private constructor(
    readonly superuserUrl: string,
    readonly client: Client,
    /** Connections for statements that run in parallel. */
    readonly pool: Pool,
  ) {}

  /** Creates a database with the schemas of these apps and the Postgres bus. */
  static async create(serverUrl: string, apps: readonly string[]): Promise<BenchDatabase> {
    const name = `bench_${randomBytes(4).toString('hex')}`;
    const server = new Client({ connectionString: serverUrl });
    await server.connect();
    await server.query(`create database ${name}`);
    await server.end();
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    const client = new Client({ connectionString: url.toString() });
    client.on('error', () => undefined); // when a run is interrupted, the server ends before this client
    await client.connect();
    const pool = new Pool({ connectionString: url.toString(), max: 8 });
    pool.on('error', () => undefined);
    const database = new BenchDatabase(url.toString(), client, pool);
    await database.migrate(apps);
    return database;
  }

  urlFor(role: string): string {
    return urlForRole(this.superuserUrl, role, this.password);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.client.end();
  }

  private async migrate(apps: readonly string[]): Promise<void> {
    const { superuserUrl } = this;
    for (const schema of [BUS_SCHEMA, ...apps.map(schemaOf)]) {
      await migrateSchema({ superuserUrl, ...schema, rolePassword: this.password });
    }
    // The measurements publish sales themselves, as partner-gateway does.
    const publisher = { app: 'partner-gateway', role: decodeURIComponent(new URL(superuserUrl).username) };
    await grantBus({ superuserUrl, apps: [...apps.map((app) => ({ app, role: schemaOf(app).schema })), publisher] });
    await ensureTopics({ bus: 'postgres', superuserUrl });
  }
}

/** Loads an app's schema from its build, because tools do not import apps. */
function schemaOf(app: string): SchemaDefinition {
  return (require(path.join(ROOT, 'apps', app, 'dist/migrations')) as { SCHEMA: SchemaDefinition }).SCHEMA;
}
