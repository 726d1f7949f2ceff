import path from 'node:path';
import { contractStepsOf, type MigrationClass, type SchemaDefinition } from '@tandem/database';
import type { QueryRunner } from 'typeorm';
import { APPS } from '../../../apps/apps';

/** Migrations of before the first release, beside which no older version ever ran. The list does not grow. */
const BEFORE_THE_FIRST_RELEASE = new Set<string>([]);

/** What a migration would run. */
async function statementsOf(migration: MigrationClass): Promise<string[]> {
  const statements: string[] = [];
  const query = (statement: string): Promise<unknown[]> => {
    statements.push(statement);
    return Promise.resolve([]);
  };
  await new migration().up({ query } as unknown as QueryRunner);
  return statements;
}

async function migrationsOf(app: string): Promise<readonly MigrationClass[]> {
  const folder = path.resolve(__dirname, '../../../apps', app, 'src/migrations');
  return ((await import(folder)) as { SCHEMA: SchemaDefinition }).SCHEMA.migrations;
}

describe('migrations', () => {
  it.each(APPS.map(({ name }) => name))('of %s let an older version of the app run on, or say why none does', async (app) => {
    for (const migration of await migrationsOf(app)) {
      if (BEFORE_THE_FIRST_RELEASE.has(migration.name)) continue;
      const steps = contractStepsOf(await statementsOf(migration));
      const isStated = migration.contract !== undefined;
      expect({ migration: migration.name, steps, isStated }).toEqual({
        ...{ migration: migration.name, steps: isStated ? expect.arrayContaining([expect.any(String)]) : [] },
        isStated,
      });
    }
  });
});
