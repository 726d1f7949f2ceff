import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the index that `delivery_reference_start` replaces. Replicas of the previous version do not use the new index, so their lists by
 * reference are slower until these replicas are replaced.
 */
export class DropIndexOfWholeReferences1769200060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index delivery_reference');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index delivery_reference on delivery (partner_id, environment, ref_id, created_at, id) where ref_id is not null`,
    );
  }
}
