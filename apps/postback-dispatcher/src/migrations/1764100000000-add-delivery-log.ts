import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a column for replays, and an index for the partners' delivery log, which lists the newest delivery first. A replay does not reset
 * `attempt_count`, so attempts may now have numbers that are too large for a smallint.
 */
export class AddDeliveryLog1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table delivery add column attempts_before_replay integer not null default 0,
         alter column attempt_count type integer`,
    );
    await runner.query('alter table attempt alter column number type integer');
    // One index serves all pages, because a page of all statuses is merged from one page per status.
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
