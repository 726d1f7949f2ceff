import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table of the subscription receipts that support submitted. Each row has a KRN of its own, because the row in `subscription`
 * may have no user yet, or another user. A receipt ends with the next end of its subscription, and is deleted with the profile.
 */
export class CreateSubscriptionReceipt1765400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table subscription_receipt (
        krn text not null references profile (krn) on delete cascade,
        subscription_id text not null references subscription (id),
        issued_at timestamptz not null,
        entitlements text[] not null,
        primary key (krn, subscription_id, issued_at)
      )`);
    await runner.query('create index subscription_receipt_subscription on subscription_receipt (subscription_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table subscription_receipt');
  }
}
