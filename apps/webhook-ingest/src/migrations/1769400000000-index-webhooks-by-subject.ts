import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the indexes with which operators list the webhooks of a subscription or of a user. */
export class IndexWebhooksBySubject1769400000000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists inbound_webhook_subscription');
    await runner.query(
      `create index concurrently inbound_webhook_subscription on inbound_webhook (subscription_id, received_at, id)
       where subscription_id is not null`,
    );
    // This index contains only user ids of up to 255 characters, the maximum that lists accept. A KRN can be longer, and Postgres refuses a row whose
    // index entry exceeds 2,704 bytes.
    await runner.query('drop index concurrently if exists inbound_webhook_user');
    await runner.query(
      `create index concurrently inbound_webhook_user on inbound_webhook (user_id, received_at, id)
       where length(user_id) <= 255`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index inbound_webhook_subscription, inbound_webhook_user');
  }
}
