import { randomUUID } from 'node:crypto';
import { migrateApps } from '@tandem/service-defaults';
import { createTestDatabase, templateOf, TEST_ROLE_PASSWORD } from '@tandem/testing';
import { SCHEMA } from '../src/migrations';
import { KeepWebhooksOfAllIntegrations1765300000000 } from '../src/migrations/1765300000000-keep-webhooks-of-all-integrations';

const migrate = (superuserUrl: string, migrations: typeof SCHEMA.migrations): Promise<unknown> => {
  const apps = [{ app: 'webhook-ingest', schema: { ...SCHEMA, migrations }, rolePassword: TEST_ROLE_PASSWORD }];
  return migrateApps({ superuserUrl, bus: 'postgres', apps });
};

describe('KeepWebhooksOfAllIntegrations', () => {
  it('keeps the payment webhooks that are already stored, and marks those of unknown types as ignored', async () => {
    const before = SCHEMA.migrations.slice(0, SCHEMA.migrations.indexOf(KeepWebhooksOfAllIntegrations1765300000000));
    const template = templateOf('webhook-ingest-before', before);
    const database = await createTestDatabase({ template, prepare: async (url) => void (await migrate(url, before)) });
    const [known, unknown] = [randomUUID(), randomUUID()];
    await database.query(
      `insert into ingest.payment_event (id, type, received_at, occurred_at, subscription_id, body_encrypted, path)
       values ($1, 'subscription.expired', now(), now(), 'sub', 'x', '/'), ($2, 'other', now(), now(), null, 'y', '/')`,
      [known, unknown],
    );
    await migrate(database.superuserUrl, SCHEMA.migrations);
    expect(
      await database.query(
        'select id, integration, body_encrypted, is_ignored, user_id from ingest.inbound_webhook order by body_encrypted',
      ),
    ).toEqual([
      { id: known, integration: 'payments', body_encrypted: 'x', is_ignored: false, user_id: null },
      { id: unknown, integration: 'payments', body_encrypted: 'y', is_ignored: true, user_id: null },
    ]);
    await database.drop();
  });
});
