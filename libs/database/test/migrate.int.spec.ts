import {
  createTestDatabase,
  eventually,
  startPostgresServer,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
} from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  createDataSource,
  isDatabaseUnavailable,
  isRetryableConflict,
  isUniqueViolation,
  migrateSchema,
  withMigrationLock,
} from '../src';
import { secondsUntilGivenUp } from './keepalives';

class CreateThing1732060800000 implements MigrationInterface {
  name = 'CreateThing1732060800000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table thing (id int constraint thing_pkey primary key)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table thing');
  }
}

/** By how much the time limit of the client exceeds the server's. */
const CLIENT_MARGIN_MS = 5_000;

const SCHEMA = { schema: 'database_test', migrations: [CreateThing1732060800000] };

/** Creates an index on a table that is in use, as docs/releases.md describes. */
class IndexThing1732060900000 implements MigrationInterface {
  name = 'IndexThing1732060900000';
  transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists thing_again');
    await runner.query('create index concurrently thing_again on thing (id)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index thing_again');
  }
}

class CreateNote1732060950000 implements MigrationInterface {
  name = 'CreateNote1732060950000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table note (id int)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table note');
  }
}

/** A migration that briefly needs a lock on the whole table. */
class WidenThing1732061000000 implements MigrationInterface {
  name = 'WidenThing1732061000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table thing add column note text');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table thing drop column note');
  }
}

/** A migration without a transaction, of which only the first statement needs a lock on the whole table. */
class WidenAndIndexThing1732061000001 implements MigrationInterface {
  name = 'WidenAndIndexThing1732061000001';
  transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table thing add column if not exists size int');
    await runner.query('drop index concurrently if exists thing_size');
    const [limit] = (await runner.query(`select current_setting('lock_timeout') as concurrently`)) as [object];
    expect(limit).toEqual({ concurrently: '0' });
    await runner.query('create index concurrently thing_size on thing (size)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table thing drop column size');
  }
}

/** A migration without a transaction. Its first statement has no time limit, and its second statement exceeds the limit. */
class SleepThing1732061100000 implements MigrationInterface {
  name = 'SleepThing1732061100000';
  transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists none');
    await runner.query('select pg_sleep(5)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('select 1');
  }
}

describe('@tandem/database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'database-lib-empty', prepare: async () => undefined });
    await migrateSchema({ ...SCHEMA, superuserUrl: database.superuserUrl, rolePassword: TEST_ROLE_PASSWORD });
  });
  afterAll(() => database.drop());

  const connect = async (role: string): Promise<Client> => {
    const client = new Client({ connectionString: database.urlFor(role) });
    await client.connect();
    return client;
  };
  const codeOf = (query: Promise<unknown>): Promise<string> =>
    query.then(
      () => 'allowed',
      (error: { code: string }) => error.code,
    );

  it('creates role, schema and tables once, even when four runs start together', async () => {
    const options = {
      ...SCHEMA,
      schema: 'database_once',
      superuserUrl: database.superuserUrl,
      rolePassword: TEST_ROLE_PASSWORD,
    };
    const ran = await Promise.all([1, 2, 3, 4].map(() => migrateSchema(options)));
    expect(ran.flat()).toEqual(['CreateThing1732060800000']);
    expect(
      await database.query(
        `select tableowner from pg_tables where schemaname = 'database_once' and tablename = 'thing'`,
      ),
    ).toEqual([{ tableowner: 'database_once_owner' }]);
  });

  it('creates an index concurrently while the migrations of other apps wait for their turn', async () => {
    const migrations = [CreateThing1732060800000, IndexThing1732060900000];
    const options = { superuserUrl: database.superuserUrl, rolePassword: TEST_ROLE_PASSWORD, migrations };
    const ran = await Promise.all(
      ['index_one', 'index_two', 'index_three'].map((schema) => migrateSchema({ ...options, schema })),
    );
    expect(ran.map((names) => names.length)).toEqual([2, 2, 2]);
  });

  it('applies the time limit of a statement to all statements except those with concurrently', async () => {
    const statementTimeoutMs = 1_000;
    const options = { superuserUrl: database.superuserUrl, rolePassword: TEST_ROLE_PASSWORD, statementTimeoutMs };
    const migrations = [CreateThing1732060800000, IndexThing1732060900000];
    await migrateSchema({ ...options, schema: 'database_patient', migrations: SCHEMA.migrations });
    const holder = await connect('database_patient');
    await holder.query('begin isolation level repeatable read; select from thing');
    const migrating = migrateSchema({ ...options, schema: 'database_patient', migrations });
    // Creating the index waits for the end of the transaction with the older snapshot, so it exceeds the time limits of server and client.
    const held = sleep(CLIENT_MARGIN_MS + 2 * statementTimeoutMs).then(() => holder.end());
    const [ran] = await Promise.all([migrating, held]);
    expect(ran).toEqual(['IndexThing1732060900000']);

    const slow = migrateSchema({ ...options, schema: 'database_hasty', migrations: [SleepThing1732061100000] });
    await expect(slow).rejects.toThrow('statement timeout');
  });

  it.each([
    ['in a transaction', 'database_locked', WidenThing1732061000000],
    ['without a transaction', 'database_locked_apart', WidenAndIndexThing1732061000001],
  ])(
    'lets the app write while a migration %s waits for a lock, and then runs the migration',
    async (_case, schema, Widen) => {
      const options = { schema, superuserUrl: database.superuserUrl, rolePassword: TEST_ROLE_PASSWORD };
      await migrateSchema({ ...options, migrations: SCHEMA.migrations });
      const [holder, app] = [await connect(schema), await connect(schema)];
      await holder.query(`begin; insert into ${schema}.thing values (1)`);
      const lines: string[] = [];
      const migrating = migrateSchema({
        ...options,
        migrations: [...SCHEMA.migrations, CreateNote1732060950000, Widen],
        log: (line) => void lines.push(line),
      });
      await eventually(() => {
        expect(lines).toEqual([`${schema}: a table is locked by a running transaction, trying again`]);
      });
      await app.query(`insert into ${schema}.thing values (2)`);
      await holder.query('commit');
      await holder.end();
      await app.end();
      expect(await migrating).toEqual(['CreateNote1732060950000', Widen.name]);
    },
  );

  it('releases the lock of migrations within half a minute after the machine that holds it has vanished', async () => {
    const seconds = await withMigrationLock(database.superuserUrl, 'test', secondsUntilGivenUp);
    expect(seconds).toBeLessThanOrEqual(30);
  });

  it('lets the app only read and write rows, also in tables that the owner of the schema creates later', async () => {
    await database.query(
      `set role database_test_owner; create table database_test.later (id int generated always as identity); reset role`,
    );
    const client = await connect('database_test');
    try {
      for (const table of ['thing', 'later'])
        for (const allowed of [`select from ${table}`, `delete from ${table}`]) await client.query(allowed);
      await client.query('insert into later default values');
      const refused = [
        'create table mine ()',
        'truncate thing',
        'alter table thing add column more int',
        'drop table later',
        `insert into migrations (timestamp, name) values (1, 'forged')`,
        'set role database_test_owner',
      ];
      for (const statement of refused)
        expect([statement, await codeOf(client.query(statement))]).toEqual([statement, '42501']);
    } finally {
      await client.end();
    }
  });

  it('lets an app’s role become the owner only when the app’s schema definition sets maintenance', async () => {
    const options = {
      schema: 'database_partitions',
      maintenance: true,
      migrations: SCHEMA.migrations,
      superuserUrl: database.superuserUrl,
      rolePassword: TEST_ROLE_PASSWORD,
    };
    await migrateSchema(options);
    const client = await connect('database_partitions');
    try {
      expect(await codeOf(client.query('drop table thing'))).toBe('42501');
      await client.query('begin');
      await client.query('set local role database_partitions_owner');
      await client.query('create table database_partitions.part ()');
      await client.query('commit');
      await client.query('select from part');
      expect(await codeOf(client.query('drop table part'))).toBe('42501');
      await migrateSchema({ ...options, maintenance: false });
      expect(await codeOf(client.query('set role database_partitions_owner'))).toBe('42501');
    } finally {
      await client.end();
    }
  });

  it('transfers the objects of an older installation to the owner, and runs the pending migrations', async () => {
    await database.query(
      `do $$ begin create role database_older login password '${TEST_ROLE_PASSWORD}'; exception when duplicate_object then null; end $$;
       create schema database_older authorization database_older; set role database_older;
       create table database_older.kept (id int generated always as identity, note text);
       insert into database_older.kept (note) values ('kept');
       create function database_older.one() returns int language sql as 'select 1'; reset role`,
    );
    await migrateSchema({
      ...SCHEMA,
      schema: 'database_older',
      superuserUrl: database.superuserUrl,
      rolePassword: TEST_ROLE_PASSWORD,
    });
    const owned = await database.query(
      `select relname as name, relowner::regrole::text as owner from pg_class
       where relnamespace = 'database_older'::regnamespace and relkind = 'r'
       union all select proname, proowner::regrole::text from pg_proc where pronamespace = 'database_older'::regnamespace
       union all select nspname, nspowner::regrole::text from pg_namespace where nspname = 'database_older' order by name`,
    );
    const names = ['database_older', 'kept', 'migrations', 'one', 'thing'];
    expect(owned).toEqual(names.map((name) => ({ name, owner: 'database_older_owner' })));
    const client = await connect('database_older');
    try {
      await client.query(`insert into kept (note) values ('more')`);
      expect((await client.query('select note, one() from kept order by id')).rows).toEqual([
        { note: 'kept', one: 1 },
        { note: 'more', one: 1 },
      ]);
      expect(await codeOf(client.query('drop table kept'))).toBe('42501');
    } finally {
      await client.end();
    }
  });

  it('disables the login of an existing role when its schema definition sets login to false', async () => {
    await database.query(
      `do $$ begin create role database_closed login password '${TEST_ROLE_PASSWORD}'; exception when duplicate_object then null; end $$`,
    );
    await migrateSchema({ ...SCHEMA, schema: 'database_closed', login: false, superuserUrl: database.superuserUrl });
    await expect(connect('database_closed')).rejects.toThrow('not permitted to log in');
    expect(await database.query('select from database_closed.thing')).toEqual([]);
  });

  it('reports a failed migration with its schema, its name and the document with the rules for migrations', async () => {
    class DivideByZero1732062000000 implements MigrationInterface {
      up = (runner: QueryRunner): Promise<void> => runner.query('select 1 / 0');
      down = (): Promise<void> => Promise.resolve();
    }
    const migrations = [...SCHEMA.migrations, DivideByZero1732062000000];
    const failed = migrateSchema({ ...SCHEMA, migrations, superuserUrl: database.superuserUrl, rolePassword: 'test' });
    await expect(failed).rejects.toThrow(
      'database_test: the migration DivideByZero1732062000000 failed: division by zero. See docs/releases.md',
    );
    await expect(failed).rejects.toHaveProperty('cause.code', '22012');
    // The stack trace of the cause names the line of the migration.
    await expect(failed).rejects.toHaveProperty('cause.stack', expect.stringMatching(/migrate\.int\.spec\.ts:\d+/));
  });

  it('rejects an invalid schema name', async () => {
    const options = { ...SCHEMA, schema: 'x; drop', superuserUrl: database.superuserUrl, rolePassword: 'x' };
    await expect(migrateSchema(options)).rejects.toThrow('is not a schema name');
  });

  it('recognizes a unique violation by its constraint, and does not count it as an outage', async () => {
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

  it('reports a killed server as unavailable, and reconnects with the same data source when the server runs again', async () => {
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
      // An idle backend may answer once more before it notices that the server was killed.
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
