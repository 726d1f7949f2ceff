import { migrateSchema } from '@tandem/database';
import { createTestDatabase, TEST_ROLE_PASSWORD, type TestDatabase } from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ConfigError, NoSchemaError, waitForMigration } from '../src';

class CreateParcel1732060800000 implements MigrationInterface {
  name = 'CreateParcel1732060800000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table parcel (id int constraint parcel_pkey primary key)');
  }
  async down(): Promise<void> {
    throw new Error('not needed');
  }
}
class AddWeight1732060800001 implements MigrationInterface {
  name = 'AddWeight1732060800001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table parcel add weight int');
  }
  async down(): Promise<void> {
    throw new Error('not needed');
  }
}

const OLD = { schema: 'parcel_test', migrations: [CreateParcel1732060800000] };
const NEW = { schema: 'parcel_test', migrations: [CreateParcel1732060800000, AddWeight1732060800001] };

describe('wait-for-migration', () => {
  let database: TestDatabase;
  const wait = (schema: typeof OLD): Promise<'over'> =>
    waitForMigration(
      { name: 'parcel', schema },
      { DATABASE_URL: database.urlFor('parcel_test'), LOG_LEVEL: 'silent' },
    ).then(() => 'over');
  const migrate = (schema: typeof OLD) =>
    migrateSchema({ ...schema, superuserUrl: database.superuserUrl, rolePassword: TEST_ROLE_PASSWORD });
  const stateOf = (waiting: Promise<'over'>) => Promise.race([waiting, sleep(1_500, 'waiting')]);

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'wait-for-migration', prepare: async () => undefined });
  });
  afterAll(() => database.drop());

  it('waits for the role, and for each migration of its own version', async () => {
    const old = wait(OLD);
    const next = wait(NEW);
    expect(await stateOf(old)).toBe('waiting');
    await migrate(OLD);
    expect(await old).toBe('over');
    expect(await stateOf(next)).toBe('waiting');
    await migrate(NEW);
    expect(await next).toBe('over');
  });

  it('ignores migrations of a newer version, so that an older version can be restarted', async () => {
    await migrate(NEW);
    expect(await wait(OLD)).toBe('over');
  });

  it('refuses an environment without a database, and an app without a schema', async () => {
    await expect(waitForMigration({ name: 'parcel', schema: OLD }, {})).rejects.toThrow(ConfigError);
    const env = { DATABASE_URL: database.urlFor('parcel_test') };
    await expect(waitForMigration({ name: 'parcel' }, env)).rejects.toThrow(NoSchemaError);
  });
});
