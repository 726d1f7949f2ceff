import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the index for the ranking of partners, which reads the rows of all partners in a range of time. Rows are stored roughly in the order
 * of their time, so a BRIN index finds them. A BRIN index is tiny, and updates of the counts do not change it.
 */
export class IndexStatisticsByTime1769300060000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists sale_statistic_bucket');
    await runner.query('create index concurrently sale_statistic_bucket on sale_statistic using brin (bucket)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sale_statistic_bucket');
  }
}
