import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index for a partner's list of its sales by time. It serves every filter by status, because each status is read in order. */
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
