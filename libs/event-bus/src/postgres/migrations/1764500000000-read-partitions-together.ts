import type { MigrationInterface, QueryRunner } from 'typeorm';
import { READ_PARTITIONS } from './restrict-bus/group-functions';
import { APPEND_AS_PUBLISHER } from './restrict-bus/log-functions';

/** Lets one statement read several partitions, and lets an append wake only the consumers of its topics. */
export class ReadPartitionsTogether1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [READ_PARTITIONS, APPEND_AS_PUBLISHER]) await runner.query(statement);
    await runner.query('REVOKE ALL ON FUNCTION bus.read_partitions FROM PUBLIC');
    // Older installations have this function. A process that still calls it retries until the process is replaced by a
    // newer version.
    await runner.query('DROP FUNCTION IF EXISTS bus.read');
  }

  async down(): Promise<void> {
    // `up` changes no table, so its functions can stay.
  }
}
