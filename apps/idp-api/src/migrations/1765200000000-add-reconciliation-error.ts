import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the column for the reason why a user's reconciliation with the vendor failed, for the person on call. */
export class AddReconciliationError1765200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table reconciliation add column last_error text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table reconciliation drop column last_error');
  }
}
