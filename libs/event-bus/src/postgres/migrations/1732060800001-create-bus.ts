import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the tables of the Postgres bus: the partitions of each topic, the log of events, the members of each consumer
 * group, and a cursor for each group and partition. A cursor has the group's stored position in the partition, the member
 * that owns the partition, and an epoch: a number that grows with each new owner. Later migrations create the functions.
 */
export class CreateBus1732060800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bus.group_cursor, bus.group_member, bus.event_log, bus.topic_partition');
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE bus.topic_partition (
      topic       text NOT NULL,
      "partition" integer NOT NULL,
      next_offset bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (topic, "partition")
    ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
  await runner.query(`
    CREATE TABLE bus.event_log (
      topic       text NOT NULL,
      "partition" integer NOT NULL,
      "offset"    bigint NOT NULL,
      key         text NOT NULL,
      headers     json NOT NULL,
      value       bytea NOT NULL,
      appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (topic, "partition", "offset")
    )`);
  await runner.query(`
    CREATE TABLE bus.group_member (
      group_name text NOT NULL,
      member     uuid NOT NULL,
      topics     text[] NOT NULL,
      seen_at    timestamptz NOT NULL,
      PRIMARY KEY (group_name, member)
    )`);
  await runner.query(`
    CREATE TABLE bus.group_cursor (
      group_name  text NOT NULL,
      topic       text NOT NULL,
      "partition" integer NOT NULL,
      "position"  bigint NOT NULL DEFAULT 0,
      owner       uuid,
      epoch       bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (group_name, topic, "partition")
    ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
}
