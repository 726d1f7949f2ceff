import { createDataSource, migrateSchema, urlForRole } from '@tandem/database';
import { createTestDatabase, TEST_ROLE_PASSWORD } from '@tandem/testing';
import { Client } from 'pg';
import { BUS_SCHEMA, ensureTopics, grantBus } from '../src';
import { CreateBus1732060800001 } from '../src/postgres/migrations/1732060800001-create-bus';
import { testTopic } from './fixture/topic';

const topic = testTopic();
const name = topic.event.topic;

/**
 * Functions of an older version that the apps' roles could call. Their bodies are empty, because the test only checks
 * that the upgrade replaces them.
 */
const OLDER_FUNCTIONS = `
  CREATE FUNCTION bus.append(text[], integer[], text[], text[], bytea[]) RETURNS void LANGUAGE sql AS '';
  CREATE FUNCTION bus.heartbeat(text, uuid, text[], integer) RETURNS void LANGUAGE sql AS '';
  CREATE FUNCTION bus.leave_group(text, uuid) RETURNS void LANGUAGE sql AS ''`;

/** Creates an older bus with one event: its owner role can log in, and the apps' roles can write its tables. */
async function olderInstall(superuserUrl: string): Promise<void> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(`DO $$ BEGIN CREATE ROLE bus; EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    await client.query(`ALTER ROLE bus LOGIN PASSWORD '${TEST_ROLE_PASSWORD}'`);
    await client.query('CREATE SCHEMA bus AUTHORIZATION bus');
    const source = createDataSource({
      url: urlForRole(superuserUrl, 'bus', TEST_ROLE_PASSWORD),
      applicationName: 'older-install',
      migrations: [CreateBus1732060800001],
    });
    await source.initialize();
    await source.runMigrations();
    await source.query(OLDER_FUNCTIONS);
    await source.destroy();
    await client.query(`INSERT INTO bus.topic_partition VALUES ($1, 0, 1)`, [name]);
    await client.query(`INSERT INTO bus.event_log VALUES ($1, 0, 0, 'key', '{}', 'abc')`, [name]);
    for (const role of ['writer', 'reader']) {
      const schema = { schema: role, migrations: [] };
      await migrateSchema({ superuserUrl, ...schema, rolePassword: TEST_ROLE_PASSWORD });
      await client.query(`GRANT USAGE ON SCHEMA bus TO ${role}`);
      await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bus TO ${role}, PUBLIC`);
      await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA bus TO ${role}`);
    }
  } finally {
    await client.end();
  }
}

async function upgrade(superuserUrl: string): Promise<void> {
  await migrateSchema({ superuserUrl, ...BUS_SCHEMA });
  const apps = [
    { role: 'writer', app: 'writer' },
    { role: 'reader', app: 'reader' },
  ];
  await grantBus({ superuserUrl, apps, topology: topic.topology });
  await ensureTopics({ bus: 'postgres', superuserUrl, topology: topic.topology });
}

describe('the upgrade of an older Postgres bus', () => {
  it('keeps the events, and leaves rights on the tables only to the owner, even if it runs twice', async () => {
    const database = await createTestDatabase({
      template: `bus-upgrade-${name}`,
      prepare: async (superuserUrl) => {
        await olderInstall(superuserUrl);
        await upgrade(superuserUrl);
        await upgrade(superuserUrl);
      },
    });
    try {
      expect(
        await database.query(
          `SELECT relname, grantee::regrole::text FROM pg_class, aclexplode(relacl)
           WHERE relnamespace = 'bus'::regnamespace AND grantee <> relowner`,
        ),
      ).toEqual([]);
      expect(
        await database.query(
          `SELECT count(*)::integer AS functions FROM pg_proc WHERE pronamespace = 'bus'::regnamespace AND proname IN
             ('append', 'heartbeat', 'leave_group') AND prosecdef AND proowner = 'bus_owner'::regrole`,
        ),
      ).toEqual([{ functions: 3 }]);
      await expect(new Client({ connectionString: database.urlFor('bus') }).connect()).rejects.toThrow(
        'not permitted to log in',
      );
      const reader = new Client({ connectionString: database.urlFor('reader') });
      await reader.connect();
      const { rows } = await reader.query(
        `SELECT "offset", key, value FROM bus.read_partitions('reader', ARRAY[$1], '{0}', '{0}')`,
        [name],
      );
      expect(rows).toEqual([{ offset: '0', key: 'key', value: Buffer.from('abc') }]);
      await reader.end();
    } finally {
      await database.drop();
    }
  });
});
