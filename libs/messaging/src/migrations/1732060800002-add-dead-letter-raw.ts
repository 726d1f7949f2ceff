import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a column that holds, in base64, the parts of a dead letter's key and headers that the text columns cannot hold.
 */
export class AddDeadLetterRaw1732060800002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter ADD COLUMN raw json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter DROP COLUMN raw');
  }
}
