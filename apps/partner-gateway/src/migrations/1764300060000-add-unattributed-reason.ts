import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the column for the reason why a purchase is not attributed. The column is null in existing rows, because their reason is unknown.
 */
export class AddUnattributedReason1764300060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale add column unattributed_reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale drop column unattributed_reason');
  }
}
