import type { MigrationInterface, QueryRunner } from 'typeorm';
import { HEARTBEAT_AS_MEMBER, READ_PARTITIONS, RELEASE } from './restrict-bus/group-functions';
import {
  BEAT,
  HEARTBEAT_WITHOUT_ADDRESS,
  PUBLISH,
  READ_WITH_KEPT_PLANS,
  REFUSE_TOPICS,
  RELEASE_AS_MEMBER,
  WAKE_PORTS,
} from './publish-and-wake/functions';

/**
 * Lets publishers wake consumers on their machine by datagrams. Before this migration they sent notifications, which
 * wake every listening session of the database, even sessions that listen to other channels. The table of members
 * becomes unlogged, so that a crash of Postgres removes all members. The reason: if an app's database contains the bus,
 * the commits of the app's publications do not wait for the disk. After a crash, a member may therefore have read beyond
 * the end of the recovered log. It must then join again, and restart from its stored position.
 */
export class PublishAndWake1768000000000 implements MigrationInterface {
  static readonly contract = 'SET UNLOGGED rewrites bus.group_member, which has only a handful of rows';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE bus.group_member ADD COLUMN wake_host text, ADD COLUMN wake_port integer, ADD COLUMN wake_topics text[]`);
    // An unlogged table is empty after a crash. `bus.group_member` has only a handful of rows, and each member writes
    // its own row again within a second.
    await runner.query('ALTER TABLE bus.group_member SET UNLOGGED');
    for (const statement of [REFUSE_TOPICS, PUBLISH, BEAT, RELEASE_AS_MEMBER, WAKE_PORTS, READ_WITH_KEPT_PLANS])
      await runner.query(statement);
    // Processes of the previous version call this function until they are replaced.
    await runner.query(HEARTBEAT_WITHOUT_ADDRESS);
    await runner.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bus FROM PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION bus.publish, bus.refuse_topics, bus.wake_ports, bus.heartbeat, bus.beat');
    for (const statement of [HEARTBEAT_AS_MEMBER, READ_PARTITIONS]) await runner.query(statement);
    await runner.query(RELEASE.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'));
    await runner.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bus FROM PUBLIC');
    await runner.query(
      'ALTER TABLE bus.group_member DROP COLUMN wake_host, DROP COLUMN wake_port, DROP COLUMN wake_topics',
    );
    await runner.query('ALTER TABLE bus.group_member SET LOGGED');
  }
}
