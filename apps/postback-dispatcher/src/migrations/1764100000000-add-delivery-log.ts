import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the partner's delivery log, with pages from the newest on, and replays. The count of attempts continues over replays.
 */
export class AddDeliveryLog1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table delivery add column attempts_before_replay integer not null default 0,
         alter column attempt_count type integer`,
    );
    await runner.query('alter table attempt alter column number type integer');
    // One index for every page: a page of all statuses is merged from the pages of each status.
    await runner.query('create index delivery_log on delivery (partner_id, environment, status, created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index delivery_log');
    await runner.query('alter table attempt alter column number type smallint');
    await runner.query(
      'alter table delivery drop column attempts_before_replay, alter column attempt_count type smallint',
    );
  }
}
