import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time at which a pushed alert was stored, by the database's clock. An alert that is stored after the user marked all alerts as
 * read is unread, even if its push arrived before that. In existing rows the time stays null, and `create_date` counts instead. A default
 * that is set in the same statement would fill these rows, so a second statement sets it. New rows get the default, even if the previous
 * release of the app inserts them.
 */
export class AddStoredAtToPushedAlert1768800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pushed_alert add column stored_at timestamptz');
    await runner.query('alter table pushed_alert alter column stored_at set default clock_timestamp()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pushed_alert drop column stored_at');
  }
}
