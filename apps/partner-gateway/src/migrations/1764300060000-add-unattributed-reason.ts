import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nullable, and null for existing rows, whose reason is unknown. */
export class AddUnattributedReason1764300060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale add column unattributed_reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale drop column unattributed_reason');
  }
}
