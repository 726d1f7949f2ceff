import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds `closing_stored_at`, the time at which this app stored the closing of a sale. In each sweep, replicas read the closings that were
 * stored recently, and drop the deliveries of these sales from memory. `closed_at`, the time of the closing itself, may be much earlier.
 */
export class AddClosingTime1767000000000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sale_delivery add column if not exists closing_stored_at timestamptz');
    await runner.query('drop index concurrently if exists sale_delivery_closing');
    await runner.query(
      `create index concurrently sale_delivery_closing on sale_delivery (closing_stored_at) include (delivery_id)
       where closing_stored_at is not null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sale_delivery_closing');
    await runner.query('alter table sale_delivery drop column closing_stored_at');
  }
}
