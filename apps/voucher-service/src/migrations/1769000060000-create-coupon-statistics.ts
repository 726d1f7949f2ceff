import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Coupons counted by quarters of an hour. Rows of one key that differ by their slot are added up by readers. A third of each page stays free,
 * so that an update finds room on the page of its row and changes no index.
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
