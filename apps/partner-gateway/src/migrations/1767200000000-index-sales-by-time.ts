import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds two indexes for managers' lists: one for the sales of all partners by time, and one for the sales with a given reference by time.
 * The first index begins with the environment and the status. A query therefore reads each requested combination in the order of time, and
 * merges the results.
 */
export class IndexSalesByTime1767200000000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists sale_time');
    await runner.query('drop index concurrently if exists sale_reference_time');
    await runner.query(
      `create index concurrently sale_time on sale (environment, status, sold_at, seq) where partner_id is not null`,
    );
    await runner.query(
      `create index concurrently sale_reference_time on sale (shared_id, sold_at, seq) where shared_id <> ''`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sale_time, sale_reference_time');
  }
}
