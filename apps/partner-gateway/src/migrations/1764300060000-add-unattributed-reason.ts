import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nullable, and null for what was stored before: why those purchases are nobody's is not known any more. */
export class AddUnattributedReason1764300060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale add column unattributed_reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale drop column unattributed_reason');
  }
}
