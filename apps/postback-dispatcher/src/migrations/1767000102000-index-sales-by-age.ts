import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replaces the BRIN index of `sale_delivery`, by which old sales are found for deletion, with a btree index: see docs/decisions/0022. */
export class IndexSalesByAge1767000102000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists sale_delivery_created_at');
    await runner.query('create index concurrently sale_delivery_created_at on sale_delivery (created_at)');
    await runner.query('drop index concurrently if exists sale_delivery_age');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index sale_delivery_age on sale_delivery using brin (created_at)');
    await runner.query('drop index sale_delivery_created_at');
  }
}
