import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds two indexes for the lists of managers: one for the sales of all partners by time, and one for the sales with the same
 * reference by time. In the first index, the environment and the status precede the time, so each requested status is read
 * in order, and the results are merged.
 */
export class IndexSalesByTime1767200000000 implements MigrationInterface {
  /** `concurrently` cannot run in a transaction. */
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
