import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the table of entity versions, because each app decides by its own rule which of two events is newer. */
export class DropEntityVersion1768200000000 implements MigrationInterface {
  static readonly contract = 'no version of any app has ever read or written entity_version';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE entity_version');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE entity_version (
        entity     text PRIMARY KEY,
        version    bigint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
  }
}
