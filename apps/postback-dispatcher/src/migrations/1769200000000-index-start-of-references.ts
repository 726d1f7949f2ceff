import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDeliveryIndex } from './partitioned-index';

/**
 * Adds an index of deliveries by the first 500 characters of the reference. It replaces `delivery_reference`: a reference can have 1,024
 * characters of up to 4 bytes, and Postgres refuses a row whose index entry exceeds 2,704 bytes.
 */
export class IndexStartOfReferences1769200000000 implements MigrationInterface {
  static readonly contract =
    'the locked table is partitioned and has no rows itself, so its lock is held only for a moment';

  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createDeliveryIndex(runner, {
      name: 'delivery_reference_start',
      suffix: '_reference_start',
      columns: '(partner_id, environment, left(ref_id, 500), created_at, id) where ref_id is not null',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index delivery_reference_start');
  }
}
