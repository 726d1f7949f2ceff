import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the index for a partner's list of its sales by time. The index also serves filters by status: each requested status is read in the
 * order of the list.
 */
export class IndexSalesOfPartners1767100000000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists sale_of_partner');
    await runner.query(
      `create index concurrently sale_of_partner on sale (partner_id, environment, status, sold_at, seq)
       where partner_id is not null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sale_of_partner');
  }
}
