import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table that counts coupons per quarter of an hour. The counts of a partner, environment and quarter are spread over rows whose
 * keys differ only in `slot`, and readers add these rows up. 30% of each page stays free, so that an updated row fits on its page and no
 * index changes.
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
