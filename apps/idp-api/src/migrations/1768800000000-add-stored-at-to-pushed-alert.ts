import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time at which a pushed alert was stored, by the database's clock. An alert that is stored after the user marked all alerts as
 * read is unread, even if its push arrived before that. Existing rows keep a null, and `create_date` counts instead: a second statement
 * sets the default of the column, because a default in the first statement would fill the existing rows. New rows get the default, even if
 * the previous release of the app inserts them.
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
