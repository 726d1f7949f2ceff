import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts of subscriptions that never became a partner's sale are deleted when they are old: they are found by this index. */
export class IndexUnattributedSales1767000103000 implements MigrationInterface {
  /** `concurrently` cannot run in one. */
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
