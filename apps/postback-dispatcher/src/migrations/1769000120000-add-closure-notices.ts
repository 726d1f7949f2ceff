import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds closure notices, which report refunds and chargebacks to partners that opt in. A closure notice is a delivery of the kind
 * `closure`. `closure_notice` has a row for each notice, so that no partner is notified twice of the same refund or chargeback.
 * `delivery.closed_at` is when the sale was closed; `closed_by` is how: `refunded` or `charged_back`.
 */
export class AddClosureNotices1769000120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table endpoint add column notify_closures boolean not null default false');
    await runner.query(
      `alter table delivery add column kind text not null default 'sale', add column closed_at timestamptz`,
    );
    await runner.query(`
      create table closure_notice (
        oid text not null,
        environment text not null,
        closing text not null check (closing in ('refunded', 'charged_back')),
        delivery_id uuid not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (oid, environment, closing)
      )`);
    await runner.query('create index closure_notice_created_at on closure_notice (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table closure_notice');
    await runner.query(`delete from delivery where kind <> 'sale'`);
    await runner.query('alter table delivery drop column kind, drop column closed_at');
    await runner.query('alter table endpoint drop column notify_closures');
  }
}
