import path from 'node:path';
import type { SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import { migrateApps } from '@tandem/service-defaults';
import { createTestDatabase, templateOf, TEST_ROLE_PASSWORD, type TestDatabase } from '@tandem/testing';
import { Client } from 'pg';
import { APPS } from '../../../apps/apps';

const ROOT = path.resolve(__dirname, '../../..');

/**
 * Creates a database with the schemas of all apps and the Postgres bus.
 *
 * @param first statements that a superuser runs before the migrations
 */
export async function createDatabaseOfAllApps(first = ''): Promise<TestDatabase> {
  const schemas: SchemaDefinition[] = [];
  for (const { name } of APPS) {
    const folder = path.join(ROOT, 'apps', name, 'src/migrations');
    schemas.push(((await import(folder)) as { SCHEMA: SchemaDefinition }).SCHEMA);
  }
  const apps = APPS.map(({ name }, index) => ({
    app: name,
    schema: schemas[index] as SchemaDefinition,
    rolePassword: TEST_ROLE_PASSWORD,
  }));
  return createTestDatabase({
    template: templateOf('all-apps', first, BUS_SCHEMA.migrations, ...schemas.map(({ migrations }) => migrations)),
    prepare: async (superuserUrl) => {
      if (first) await query(superuserUrl, first);
      await migrateApps({ superuserUrl, bus: 'postgres', apps });
    },
  });
}

async function query(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
