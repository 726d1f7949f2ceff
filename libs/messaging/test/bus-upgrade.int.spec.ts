import { createDataSource, migrateSchema, urlForRole } from '@tandem/database';
import { createTestDatabase, TEST_ROLE_PASSWORD } from '@tandem/testing';
import { Client } from 'pg';
import { BUS_SCHEMA, ensureTopics, grantBus, MESSAGING_MIGRATIONS } from '../src';
import { CreateBus1732060800001 } from '../src/migrations/1732060800001-create-bus';
import { noteTopic } from './fixture/note';

const topic = noteTopic();
const name = topic.event.topic;

/** A bus of version 0.1.0: its role owns it and logs in, and the apps' roles write its tables. It has one event. */
async function olderInstall(superuserUrl: string): Promise<void> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
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
  await source.destroy();
  await client.query(`INSERT INTO bus.topic_partition (topic, "partition") VALUES ($1, 0)`, [name]);
  await client.query(`SELECT bus.append($1, '{0}', '{key}', '{"{}"}', '{abc}')`, [[name]]);
  for (const role of ['writer', 'reader']) {
    await migrateSchema({
      superuserUrl,
      schema: role,
      migrations: MESSAGING_MIGRATIONS,
      rolePassword: TEST_ROLE_PASSWORD,
    });
    await client.query(`GRANT USAGE ON SCHEMA bus TO ${role}`);
    await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bus TO ${role}, PUBLIC`);
    await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA bus TO ${role}`);
  }
  await client.end();
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

describe('an older install of the Postgres bus', () => {
  it('keeps its events, and loses every right that it gave, also when the upgrade runs twice', async () => {
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
      await expect(new Client({ connectionString: database.urlFor('bus') }).connect()).rejects.toThrow(
        'not permitted to log in',
      );
      const reader = new Client({ connectionString: database.urlFor('reader') });
      await reader.connect();
      const { rows } = await reader.query(`SELECT "offset", key, value FROM bus.read('reader', $1, 0, 0)`, [name]);
      expect(rows).toEqual([{ offset: '0', key: 'key', value: Buffer.from('abc') }]);
      await reader.end();
    } finally {
      await database.drop();
    }
  });
});
