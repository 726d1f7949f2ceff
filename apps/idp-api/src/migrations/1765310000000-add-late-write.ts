import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time until which the vendor may still carry out a call that failed or whose process was killed. */
export class AddLateWrite1765310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table reconciliation add column late_write_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table reconciliation drop column late_write_until');
  }
}
