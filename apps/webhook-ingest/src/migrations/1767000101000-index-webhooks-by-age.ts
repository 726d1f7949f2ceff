import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Replaces the BRIN indexes on the age of webhooks and claims with btree indexes, by which old rows are found for deletion: see
 * docs/decisions/0022.
 */
export class IndexWebhooksByAge1767000101000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists inbound_webhook_age');
    await runner.query('drop index concurrently if exists webhook_claim_age');
    await runner.query('create index concurrently inbound_webhook_age on inbound_webhook (received_at)');
    await runner.query('create index concurrently webhook_claim_age on webhook_claim (claimed_at)');
    await runner.query('drop index concurrently if exists inbound_webhook_received_at');
    await runner.query('drop index concurrently if exists webhook_claim_claimed_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index inbound_webhook_received_at on inbound_webhook using brin (received_at)');
    await runner.query('create index webhook_claim_claimed_at on webhook_claim using brin (claimed_at)');
    await runner.query('drop index inbound_webhook_age, webhook_claim_age');
  }
}
