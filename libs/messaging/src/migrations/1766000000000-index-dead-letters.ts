import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes the dead letters that have not been replayed. The process that leads the relay counts these dead letters every
 * 15 s. With the index, the count reads no replayed dead letters.
 */
export class IndexDeadLetters1766000000000 implements MigrationInterface {
  /** CONCURRENTLY cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dead_letter_not_replayed');
    await runner.query(
      'CREATE INDEX CONCURRENTLY dead_letter_not_replayed ON dead_letter (topic) WHERE replayed_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dead_letter_not_replayed');
  }
}
