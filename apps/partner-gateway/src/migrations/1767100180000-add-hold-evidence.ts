import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds columns for the evidence on which a fraud rule held a sale, and for the note of the manager who decided about the sale. */
export class AddHoldEvidence1767100180000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale add column hold_evidence jsonb, add column hold_note text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale drop column hold_evidence, drop column hold_note');
  }
}
