import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDeliveryIndex } from './partitioned-index';

/**
 * Adds an index of failing deliveries: those that are pending, and of which an attempt has failed since they were created or replayed.
 * Without it, a list of them would read all pending deliveries of a partner. Deliveries that succeed at the first attempt are never in it.
 */
export class IndexFailingDeliveries1769400000000 implements MigrationInterface {
  static readonly contract =
    'the locked table is partitioned and has no rows itself, so its lock is held only for a moment';

  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createDeliveryIndex(runner, {
      name: 'delivery_failing',
      suffix: '_failing',
      columns:
        "(partner_id, environment, created_at, id) where status = 'pending' and attempt_count > attempts_before_replay",
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index delivery_failing');
  }
}
