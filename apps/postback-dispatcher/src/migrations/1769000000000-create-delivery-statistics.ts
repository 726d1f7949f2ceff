import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table that counts deliveries per quarter of an hour. The counts of a partner, environment and quarter are spread over several
 * rows, so that concurrent transactions seldom wait for each other. The keys of these rows differ only in `slot`, and readers add the rows
 * up. 30% of each page stays free, so that an updated row fits on its page and no index changes.
 */
export class CreateDeliveryStatistics1769000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table delivery_statistic (
        partner_id text not null,
        environment text not null check (environment in ('live', 'test')),
        bucket timestamptz not null,
        slot smallint not null,
        delivered bigint not null,
        failed bigint not null,
        first_attempts bigint not null,
        first_attempt_ms bigint not null,
        first_within_50 bigint not null,
        first_within_100 bigint not null,
        first_within_250 bigint not null,
        first_within_500 bigint not null,
        first_within_1000 bigint not null,
        first_within_2500 bigint not null,
        first_within_5000 bigint not null,
        first_slower bigint not null,
        primary key (partner_id, environment, bucket, slot)
      ) with (fillfactor = 70)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table delivery_statistic');
  }
}
