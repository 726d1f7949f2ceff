import path from 'node:path';
import { contractStepsOf, type MigrationClass, type SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import type { TestDatabase } from '@tandem/testing';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { APPS } from '../../../apps/apps';
import { createDatabaseOfAllApps } from './database-of-all-apps';
import { RECORD_REWRITES, recordedRewrites, type TableRewrite } from './table-rewrites';

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
  try {
    await new migration().up({ query } as unknown as QueryRunner);
  } catch (error) {
    const reason = `it runs without a database here, so it may only call runner.query, and must not need a row of a result`;
    throw new Error(`the statements of ${migration.name} cannot be read: ${reason}. ${HELP}`, { cause: error });
  }
  return statements;
}

async function migrationsOf(app: string): Promise<readonly MigrationClass[]> {
  const folder = path.resolve(__dirname, '../../../apps', app, 'src/migrations');
  return ((await import(folder)) as { SCHEMA: SchemaDefinition }).SCHEMA.migrations;
}

describe('migrations', () => {
  let database: TestDatabase;
  let rewrites: TableRewrite[];
  beforeAll(async () => {
    database = await createDatabaseOfAllApps(RECORD_REWRITES);
    rewrites = await recordedRewrites(database);
  });
  afterAll(() => database?.drop());

  async function expectExpansion(migrations: readonly MigrationClass[]): Promise<void> {
    for (const migration of migrations) {
      if (BEFORE_THE_FIRST_RELEASE.has(migration.name)) continue;
      const statements = await statementsOf(migration);
      const rewritten = rewrites.filter(({ query }) => statements.includes(query));
      const steps = [
        ...contractStepsOf(statements),
        ...rewritten.map(({ query, table }) => ({ step: `rewrites the table ${table}`, statement: query })),
      ];
      const found = { migration: migration.name, steps, help: HELP };
      if (migration.contract === undefined) expect(found).toEqual({ ...found, steps: [] });
      else expect(found).not.toEqual({ ...found, steps: [] });
    }
  }

  it.each(APPS.map(({ name }) => name))(
    'of %s are compatible with the previous version, or state why they do not need to be',
    async (app) => expectExpansion(await migrationsOf(app)),
  );

  it('of the Postgres bus are compatible with previous versions, or state why they do not need to be', () =>
    expectExpansion(BUS_SCHEMA.migrations));

  it('contain every statement for which Postgres reported that it rewrites a table', async () => {
    const migrations = [...BUS_SCHEMA.migrations];
    for (const { name } of APPS) migrations.push(...(await migrationsOf(name)));
    const statements = (await Promise.all(migrations.map(statementsOf))).flat();
    expect(rewrites.filter(({ query }) => !statements.includes(query))).toEqual([]);
    expect(rewrites).not.toEqual([]);
  });
});

describe('a statement', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createDatabaseOfAllApps(RECORD_REWRITES);
    await database.query('create unlogged table sale (id int, price numeric)');
    client = new Client({ connectionString: database.superuserUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** Runs statements in one transaction, rolls it back, and returns those of the statements that `RECORD_REWRITES` recorded. */
  async function recorded(...statements: string[]): Promise<string[]> {
    await client.query('begin; delete from rewrites.rewritten');
    try {
      for (const statement of statements) await client.query(statement);
      const { rows } = await client.query<{ query: string }>('select query from rewrites.rewritten');
      return rows.map(({ query }) => query);
    } finally {
      await client.query('rollback');
    }
  }

  it.each([
    ['alter table sale add net numeric generated always as (price * 2) stored'],
    ['alter table sale add column id2 uuid not null default gen_random_uuid()'],
    ['alter table sale add id2 uuid default (("pg_catalog".gen_random_uuid()))'],
    ['alter table sale add sample int default floor(random() * 10)'],
    ['alter table sale add seq bigint generated by default as identity'],
    ['alter table sale add seq bigserial'],
    ['alter table sale alter id type bigint'],
    ['alter table sale set logged'],
  ])('that rewrites the table is found: %s', async (statement) => {
    expect(await recorded(statement)).toEqual([statement]);
  });

  it.each([
    ['alter table sale add note text'],
    ["alter table sale add column note text not null default ''"],
    ['alter table sale add column at timestamptz not null default now()'],
    ['alter table sale add constraint positive check (price > 0) not valid'],
  ])('that does not rewrite the table is not found: %s', async (statement) => {
    expect(await recorded(statement)).toEqual([]);
  });

  it('that rewrites a table is not found when the same transaction created the table', async () => {
    expect(await recorded('create table note (id int)', 'alter table note alter id type bigint')).toEqual([]);
  });
});
