import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepWebhooksOfAllIntegrations1765300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table payment_event rename to inbound_webhook');
    await runner.query('alter index payment_event_pkey rename to inbound_webhook_pkey');
    await runner.query('alter index payment_event_received_at rename to inbound_webhook_received_at');
    await runner.query(`
      alter table inbound_webhook
        add column integration text not null default 'payments',
        add column user_id text,
        add column is_ignored boolean not null default false,
        add column replayed_at timestamptz,
        alter column occurred_at drop not null`);
    await runner.query('alter table inbound_webhook alter column integration drop default');
    // Webhooks of known types always name a subscription. A stored webhook without a subscription therefore has an unknown type.
    await runner.query('update inbound_webhook set is_ignored = true where subscription_id is null');
    // For webhooks without an id in the body, this table stores the last content of each subject, and the deliveries that were received.
    await runner.query(`
      create table webhook_claim (
        key uuid primary key,
        content uuid not null,
        claimed_at timestamptz not null
      )`);
    await runner.query('create index webhook_claim_claimed_at on webhook_claim using brin (claimed_at)');
  }

  /** Deletes the webhooks of all integrations except payments, because they do not fit into the previous table. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table webhook_claim');
    await runner.query(`delete from inbound_webhook where integration <> 'payments'`);
    await runner.query(`
      alter table inbound_webhook
        drop column integration, drop column user_id, drop column is_ignored, drop column replayed_at,
        alter column occurred_at set not null`);
    await runner.query('alter index inbound_webhook_received_at rename to payment_event_received_at');
    await runner.query('alter index inbound_webhook_pkey rename to payment_event_pkey');
    await runner.query('alter table inbound_webhook rename to payment_event');
  }
}
