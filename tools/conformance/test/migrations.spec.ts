import path from 'node:path';
import { contractStepsOf, type MigrationClass, type SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import type { QueryRunner } from 'typeorm';
import { APPS } from '../../../apps/apps';

/**
 * Migrations from before the first release that have contract steps (statements that break the previous version of the app). These steps
 * were safe, because no older version ran at the same time. Do not extend the list: a new migration states why the step is safe in its `contract`.
 */
const BEFORE_THE_FIRST_RELEASE = new Set([
  'AddCouponCodeHash1764500000000',
  'AddDeliveryLog1764100000000',
  'AddDeliveryReference1764600000000',
  'AddSaleClosing1764700000000',
  'CreateRateLimitWindows1764700000000',
  'IndexOutboxByTopic1764300000000',
  'IndexSalesForManagers1764600000000',
  'KeepWebhooksOfAllIntegrations1765300000000',
  'OwnShards1764300000000',
  'ReadPartitionsTogether1764500000000',
  'RestrictBus1764400000000',
]);

/** The hint that a failed expectation prints. */
const HELP = 'docs/releases.md says how to split a change that would break an older version into steps';

/** Returns the statements of a migration. */
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

async function expectExpansion(migrations: readonly MigrationClass[]): Promise<void> {
  for (const migration of migrations) {
    if (BEFORE_THE_FIRST_RELEASE.has(migration.name)) continue;
    const steps = contractStepsOf(await statementsOf(migration));
    const found = { migration: migration.name, steps, help: HELP };
    if (migration.contract === undefined) expect(found).toEqual({ ...found, steps: [] });
    else expect(found).not.toEqual({ ...found, steps: [] });
  }
}

describe('migrations', () => {
  it.each(APPS.map(({ name }) => name))(
    'of %s are compatible with the previous version, or state why they do not need to be',
    async (app) => expectExpansion(await migrationsOf(app)),
  );

  it('of the Postgres bus are compatible with previous versions, or state why they do not need to be', () =>
    expectExpansion(BUS_SCHEMA.migrations));
});
