import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a pushed alert be kept when the vendor lists it, because its time of arrival decides whether it is read. Older versions of the app
 * delete such rows.
 */
export class AddListedToPushedAlert1768500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pushed_alert add column listed boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pushed_alert drop column listed');
  }
}
