import path from 'node:path';
import type { SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import { migrateApps } from '@tandem/service-defaults';
import { createTestDatabase, templateOf, TEST_ROLE_PASSWORD, type TestDatabase } from '@tandem/testing';
import { APPS } from '../../../apps/apps';

const ROOT = path.resolve(__dirname, '../../..');

/** Creates a database with the schemas of all apps and the Postgres bus. */
export async function createDatabaseOfAllApps(): Promise<TestDatabase> {
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
    template: templateOf('all-apps', BUS_SCHEMA.migrations, ...schemas.map(({ migrations }) => migrations)),
    prepare: async (superuserUrl) => void (await migrateApps({ superuserUrl, bus: 'postgres', apps })),
  });
}
