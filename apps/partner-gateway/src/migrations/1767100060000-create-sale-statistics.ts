import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table with the counts and amounts of sales per quarter of an hour. To make concurrent transactions wait less often for the
 * same row, each count is spread over several rows, whose keys differ only in `slot`. Readers add these rows up. `fillfactor` leaves 30% of
 * each page free, so that the new version of an updated row fits on the same page and the index need not change.
 */
export class CreateSaleStatistics1767100060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sale_statistic (
        partner_id text not null,
        environment text not null check (environment in ('live', 'test')),
        bucket timestamptz not null,
        promotion_id text not null,
        currency text not null,
        slot smallint not null,
        sales bigint not null,
        held bigint not null,
        revoked bigint not null,
        refunded bigint not null,
        charged_back bigint not null,
        amount numeric not null,
        revoked_amount numeric not null,
        refunded_amount numeric not null,
        charged_back_amount numeric not null,
        primary key (partner_id, environment, bucket, promotion_id, currency, slot)
      ) with (fillfactor = 70)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sale_statistic');
  }
}
