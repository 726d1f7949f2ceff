import {
  createTestDatabase,
  eventually,
  startPostgresServer,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
} from '@tandem/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDataSource, isDatabaseUnavailable, isRetryableConflict, isUniqueViolation, migrateSchema } from '../src';

class CreateThing1732060800000 implements MigrationInterface {
  name = 'CreateThing1732060800000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table thing (id int constraint thing_pkey primary key)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table thing');
  }
}

const SCHEMA = { schema: 'database_test', migrations: [CreateThing1732060800000] };

describe('migrateSchema and the errors of a data source', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'database-lib-empty', prepare: async () => undefined });
  });
  afterAll(() => database.drop());

  it('makes role, schema and tables once, also when four runs start together', async () => {
    const options = { ...SCHEMA, superuserUrl: database.superuserUrl, rolePassword: TEST_ROLE_PASSWORD };
    const ran = await Promise.all([1, 2, 3, 4].map(() => migrateSchema(options)));
    expect(ran.flat()).toEqual(['CreateThing1732060800000']);
    expect(
      await database.query(
        `select tableowner from pg_tables where schemaname = 'database_test' and tablename = 'thing'`,
      ),
    ).toEqual([{ tableowner: 'database_test' }]);
  });

  it('refuses a schema name that is none', async () => {
    const options = { ...SCHEMA, schema: 'x; drop', superuserUrl: database.superuserUrl, rolePassword: 'x' };
    await expect(migrateSchema(options)).rejects.toThrow('is no schema name');
  });

  it('tells a unique violation by its constraint, and not for an outage', async () => {
    const source = createDataSource({ url: database.urlFor('database_test'), applicationName: 'test' });
    await source.initialize();
    try {
      await source.query('insert into thing values (1)');
      const error: unknown = await source.query('insert into thing values (1)').catch((reason: unknown) => reason);
      expect(isUniqueViolation(error)).toBe(true);
      expect(isUniqueViolation(error, 'thing_pkey')).toBe(true);
      expect(isUniqueViolation(error, 'another')).toBe(false);
      expect(isDatabaseUnavailable(error)).toBe(false);
      expect(isRetryableConflict(error)).toBe(false);
    } finally {
      await source.destroy();
    }
  });

  it('tells a killed, absent and restarted server as unavailable, and serves again without a new data source', async () => {
    const server = await startPostgresServer();
    const source = createDataSource({ url: server.url, applicationName: 'test', connectTimeoutMs: 500 });
    try {
      await source.initialize();
      const running: Promise<unknown> = source.query('select pg_sleep(30)').catch((reason: unknown) => reason);
      await eventually(async () => {
        const [row] = await source.query<{ n: number }[]>(
          `select count(*)::int n from pg_stat_activity where query like 'select pg_sleep%'`,
        );
        expect(row?.n).toBe(1);
      });
      await server.kill();
      expect(isDatabaseUnavailable(await running)).toBe(true);
      // A backend that was idle may answer once more before it notices that its server is gone.
      await eventually(async () => {
        const refused: unknown = await source.query('select 1').catch((reason: unknown) => reason);
        expect(isDatabaseUnavailable(refused)).toBe(true);
      });
      await server.start();
      await eventually(async () => expect(await source.query('select 1 as one')).toEqual([{ one: 1 }]));
    } finally {
      await source.destroy();
      await server.stop();
    }
  });
});
