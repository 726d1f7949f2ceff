import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the text columns of a dead letter cannot hold of its key and headers, in base64. */
export class AddDeadLetterRaw1732060800002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter ADD COLUMN raw json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter DROP COLUMN raw');
  }
}
