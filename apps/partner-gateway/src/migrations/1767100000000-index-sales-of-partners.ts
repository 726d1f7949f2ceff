import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index by which a partner lists its own sales by their time: one for all statuses, each of which is read in order. */
export class IndexSalesOfPartners1767100000000 implements MigrationInterface {
  /** `concurrently` cannot run in a transaction. */
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
