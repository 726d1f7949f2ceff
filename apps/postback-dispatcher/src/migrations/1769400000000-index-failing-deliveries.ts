import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDeliveryIndex } from './partitioned-index';

/**
 * Adds an index of failing deliveries. A delivery is failing if it is pending, and an attempt has failed since the delivery was created or
 * replayed. Without the index, a list of a partner's failing deliveries would read all pending deliveries of the partner. A delivery that
 * succeeds at the first attempt is never in the index.
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
