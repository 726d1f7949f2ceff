import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Makes the query for the dead letters of one sale or user fast, because a person waits for the answer. */
export class IndexDeadLettersByKey1768700000000 implements MigrationInterface {
  /** CONCURRENTLY cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dead_letter_by_key');
    await runner.query('CREATE INDEX CONCURRENTLY dead_letter_by_key ON dead_letter (key) WHERE replayed_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dead_letter_by_key');
  }
}
