import { randomUUID } from 'node:crypto';
import { dataSourceOptions, FieldCipher, migrateSchema } from '@tandem/database';
import { createTestDatabase, eventually, type TestDatabase } from '@tandem/testing';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { SCHEMA } from '../src/migrations';
import { Dispatcher, FIELD_KEYS, prepare } from './dispatcher';
import { EndpointServer } from './endpoint-server';

/** The schema before the migration that divided endpoints into shards. */
const BEFORE_SHARDS = {
  ...SCHEMA,
  migrations: SCHEMA.migrations.slice(
    0,
    SCHEMA.migrations.findIndex(({ name }) => name.startsWith('OwnShards')),
  ),
};

describe('an installation with the schema from before the migration to shards', () => {
  let database: TestDatabase;
  let server: EndpointServer;

  beforeAll(async () => {
    database = await createTestDatabase({
      template: `postback-dispatcher:before-shards:${BEFORE_SHARDS.migrations.map(String).join()}`,
      prepare: async (superuserUrl) =>
        void (await migrateSchema({ superuserUrl, ...BEFORE_SHARDS, rolePassword: 'test' })),
    });
    server = await EndpointServer.start();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** Adds a configuration with a pending delivery, and the endpoint's row in `endpoint_schedule`. */
  const addEndpoint = async (partnerId: string, blockedFor: string, level: number): Promise<void> => {
    const id = randomUUID();
    const cipher = new FieldCipher(FIELD_KEYS);
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await database.query(
      `insert into postback.endpoint (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted)
       values ($1, $2, 'live', $3, 'Bearer', $4, $5)`,
      [
        id,
        partnerId,
        server.url,
        cipher.encrypt('k', `endpoint:${id}:key`),
        cipher.encrypt(secret, `endpoint:${id}:signing-secret`),
      ],
    );
    await database.query(
      `insert into postback.endpoint_schedule (endpoint_id, next_due_at, blocked_until, breaker_level)
       values ($1, now(), now() + $2::interval, $3)`,
      [id, blockedFor, level],
    );
    await database.query(
      `insert into postback.delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       values (gen_random_uuid(), $1, 'live', $2, $1, 'e', json_build_object('oid', $1::text)::text, 'pending', now())`,
      [partnerId, id],
    );
  };

  it('sends its pending deliveries after the migration, except to paused endpoints', async () => {
    await database.query(
      `create table postback.delivery_before partition of postback.delivery for values from ('2000-01-01') to ('2100-01-01');
       alter table postback.delivery_before owner to postback_owner`,
    );
    await addEndpoint('partner-due', '-1 hour', 0);
    await addEndpoint('partner-paused', '1 hour', 3);
    await prepare(database.superuserUrl);
    const dispatcher = await Dispatcher.start({}, database);
    try {
      await eventually(async () => expect((await dispatcher.deliveryOf('partner-due'))?.status).toBe('delivered'));
      expect(await dispatcher.deliveryOf('partner-paused')).toMatchObject({ status: 'pending', attempt_count: 0 });
      expect(server.received).toHaveLength(1);
    } finally {
      await dispatcher.stop();
    }
  });

  it('has the table endpoint_schedule again after the migration is reverted', async () => {
    const options = dataSourceOptions({
      url: database.superuserUrl,
      applicationName: 'undo',
      migrations: [...SCHEMA.migrations],
    });
    const owner = new DataSource({
      ...options,
      extra: { ...options.extra, options: '-c role=postback_owner -c search_path=postback' },
    } as DataSourceOptions);
    await owner.initialize();
    try {
      // Reverts the migration that introduced shards, and all later migrations.
      const count = SCHEMA.migrations.length - BEFORE_SHARDS.migrations.length;
      for (let undone = 0; undone < count; undone++) await owner.undoLastMigration();
    } finally {
      await owner.destroy();
    }
    const rows = await database.query(
      `select e.partner_id, s.breaker_level, s.blocked_until > now() as paused, s.next_due_at is not null as due
       from postback.endpoint_schedule s join postback.endpoint e on e.id = s.endpoint_id order by 1`,
    );
    expect(rows).toMatchObject([
      { partner_id: 'partner-due', breaker_level: 0, due: true },
      { partner_id: 'partner-paused', breaker_level: 3, paused: true, due: true },
    ]);
  });
});
