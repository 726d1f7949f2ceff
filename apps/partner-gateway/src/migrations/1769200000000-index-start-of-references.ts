import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Replaces the two indexes that find sales by reference with indexes that contain only the first 500 characters of the reference. A
 * reference can have 1,024 characters of up to 4 bytes, and Postgres refuses a row whose index entry exceeds 2,704 bytes, so a sale with a
 * long reference could not be stored. Replicas of the previous version do not use the new indexes, so their lists by reference are slower
 * until the replicas are replaced.
 */
export class IndexStartOfReferences1769200000000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Postgres uses these statistics to estimate how many sales have a given reference, because it does not use the statistics of a partial
    // index.
    await runner.query('create statistics if not exists sale_reference_start on left(shared_id, 500) from sale');
    await runner.query('analyze sale');
    await runner.query('drop index concurrently if exists sale_reference_start');
    await runner.query(
      `create index concurrently sale_reference_start on sale (left(shared_id, 500), seq) where shared_id <> ''`,
    );
    await runner.query('drop index concurrently if exists sale_reference_start_time');
    await runner.query(
      `create index concurrently sale_reference_start_time on sale (left(shared_id, 500), sold_at, seq)
       where shared_id <> ''`,
    );
    await runner.query('drop index concurrently if exists sale_reference');
    await runner.query('drop index concurrently if exists sale_reference_time');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`create index sale_reference on sale (shared_id, seq) where shared_id <> ''`);
    await runner.query(`create index sale_reference_time on sale (shared_id, sold_at, seq) where shared_id <> ''`);
    await runner.query('drop index sale_reference_start, sale_reference_start_time');
    await runner.query('drop statistics sale_reference_start');
  }
}
