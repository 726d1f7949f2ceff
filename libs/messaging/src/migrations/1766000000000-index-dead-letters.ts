import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets the app count the dead letters that have not been replayed without reading the replayed ones. The process that
 * leads the relay counts them every 15 s.
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
