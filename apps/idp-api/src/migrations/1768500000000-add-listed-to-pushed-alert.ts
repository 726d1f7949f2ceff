import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the column that marks a pushed alert as listed by the vendor. Older releases of the app delete the row of a listed alert. From this
 * migration on, the row is kept, because the alert's time of arrival decides whether the alert counts as read. (A later migration adds
 * `stored_at`, which then decides.)
 */
export class AddListedToPushedAlert1768500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pushed_alert add column listed boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pushed_alert drop column listed');
  }
}
