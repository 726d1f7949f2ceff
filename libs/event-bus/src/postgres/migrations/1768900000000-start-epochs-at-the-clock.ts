import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BEAT } from './publish-and-wake/functions';

const REPLACED_BEAT = BEAT.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION');
/**
 * The new epoch of a cursor: the current time, ms. A cursor is a group's stored position in a partition, and its epoch is a
 * number that grows each time a member takes the partition. A cursor that is taken twice in one millisecond, or after the
 * clock was set back, still gets a higher epoch.
 */
const EPOCH = `greatest(c.epoch + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

/**
 * Makes an epoch unique even if the schema of the bus is dropped and created again. If epochs started at 1 again, a
 * member that kept running could regain a partition with the epoch that it already has. The member would then continue
 * at its position in the lost log, and miss the first events of the new log.
 */
export class StartEpochsAtTheClock1768900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REPLACED_BEAT.replace('epoch = c.epoch + 1', `epoch = ${EPOCH}`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REPLACED_BEAT);
  }
}
