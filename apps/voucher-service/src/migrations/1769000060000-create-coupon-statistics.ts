import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Coupons counted in quarters of an hour. Readers add up the rows of a key, which differ by their slot. A third of each page stays free, so that an
 * updated row fits on its page and no index changes.
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
