import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds a column for the parts of a dead letter's key and headers that its text columns cannot hold, in base64. */
export class AddDeadLetterRaw1732060800002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter ADD COLUMN raw json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter DROP COLUMN raw');
  }
}
