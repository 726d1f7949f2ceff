import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table that counts coupons per quarter of an hour. To make concurrent transactions wait less often for the same row, each count
 * is spread over several rows, whose keys differ only in `slot`. Readers add these rows up. 30% of each page stays free for the new versions
 * of updated rows: if the new version of a row is on the same page as the old version, Postgres does not update the index.
 */
export class CreateCouponStatistics1769000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table coupon_statistic (
        partner_id text not null,
        environment text not null check (environment in ('live', 'test')),
        bucket timestamptz not null,
        slot smallint not null,
        created bigint not null,
        redeemed bigint not null,
        primary key (partner_id, environment, bucket, slot)
      ) with (fillfactor = 70)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table coupon_statistic');
  }
}
