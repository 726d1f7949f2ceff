import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notices of refunds and charge-backs, for partners that opt in, are deliveries of the kind `closure`. `closure_notice` has a row for each
 * closing of which a partner was notified, so that no closing gets a second notice. `delivery.closed_at` is the time at which the sale was
 * closed; `closed_by` is how the sale was closed: refunded or charged back.
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
