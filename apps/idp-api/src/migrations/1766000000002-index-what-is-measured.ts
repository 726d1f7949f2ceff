import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds indexes for counting locked users and users whose reconciliation failed. Both are counted every 15 s; with the indexes, the rows of
 * all other users are not read.
 */
export class IndexWhatIsMeasured1766000000002 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists verification_refused');
    await runner.query('drop index concurrently if exists reconciliation_failing');
    await runner.query(
      'create index concurrently verification_refused on verification (attempts, wait_until) where attempts > 0',
    );
    await runner.query(
      'create index concurrently reconciliation_failing on reconciliation (failures) where failures > 0',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index verification_refused, reconciliation_failing');
  }
}
