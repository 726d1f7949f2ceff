import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the hash of the key, by which the Postgres bus chooses the partition. The hash is null in rows that the previous
 * version of the app adds.
 */
export class HashOutboxKeys1768000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN key_hash integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP COLUMN key_hash');
  }
}
