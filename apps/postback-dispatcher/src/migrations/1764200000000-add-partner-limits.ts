import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the maximum number of requests in flight to each endpoint of a partner; null means the platform's default. `partner_limit` stores
 * the limit for endpoints that are added later. `endpoint` has a copy, which is read together with the configuration. `revision` increases
 * whenever the limit is saved.
 */
export class AddPartnerLimits1764200000000 implements MigrationInterface {
  static readonly contract = 'the check reads all rows of postback.endpoint, which has at most two for each partner';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table partner_limit (
        partner_id text primary key,
        concurrency integer check (concurrency between 1 and 1000),
        revision integer not null default 0,
        updated_at timestamptz not null default clock_timestamp()
      )`);
    await runner.query(
      'alter table endpoint add column concurrency_max integer check (concurrency_max between 1 and 1000)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table endpoint drop column concurrency_max');
    await runner.query('drop table partner_limit');
  }
}
