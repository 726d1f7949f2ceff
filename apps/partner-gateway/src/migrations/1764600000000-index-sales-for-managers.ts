import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds two indexes for finding sales: one by partner, and one by the partner's own reference. */
export class IndexSalesForManagers1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index sale_partner on sale (partner_id, seq) where partner_id is not null');
    await runner.query(`create index sale_reference on sale (shared_id, seq) where shared_id <> ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sale_partner, sale_reference');
  }
}
