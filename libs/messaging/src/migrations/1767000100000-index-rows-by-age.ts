import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates btree indexes that find old rows of the inbox and old dead letters: see docs/decisions/0022. */
export class IndexRowsByAge1767000100000 implements MigrationInterface {
  /** CONCURRENTLY cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS inbox_age');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dead_letter_age');
    await runner.query('CREATE INDEX CONCURRENTLY inbox_age ON inbox (handled_at)');
    await runner.query(
      'CREATE INDEX CONCURRENTLY dead_letter_age ON dead_letter (failed_at) WHERE replay_requested_at IS NULL',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS inbox_handled_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX inbox_handled_at ON inbox USING brin (handled_at) WITH (pages_per_range = 32)`);
    await runner.query('DROP INDEX inbox_age, dead_letter_age');
  }
}
