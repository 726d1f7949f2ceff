import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index for deleting old rows that are still not attributed to a partner. */
export class IndexUnattributedSales1767000103000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists sale_unattributed');
    await runner.query(
      `create index concurrently sale_unattributed on sale (updated_at) where status = 'unattributed'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sale_unattributed');
  }
}
