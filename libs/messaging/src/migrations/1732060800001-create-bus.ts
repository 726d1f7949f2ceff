import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The Postgres bus: an append log of partitions, and a cursor per group and partition. Every name carries its schema. */
export class CreateBus1732060800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
    await runner.query(APPEND);
    await runner.query(HEARTBEAT);
    await runner.query(LEAVE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION bus.leave_group, bus.heartbeat, bus.append');
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

/**
 * Offsets are given out under the partition's row lock, which is held until commit: offsets commit in their order, and a
 * reader that saw one has seen all before it. Locks are taken in a fixed order, so two appends cannot deadlock.
 */
export const APPEND = `
  CREATE FUNCTION bus.append(topics text[], partitions integer[], keys text[], headers text[], vals bytea[])
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    wanted integer;
    locked integer;
  BEGIN
    SELECT count(DISTINCT (t, p)) INTO wanted FROM unnest(topics, partitions) AS m(t, p);
    PERFORM 1 FROM bus.topic_partition tp
      WHERE (tp.topic, tp."partition") IN (SELECT t, p FROM unnest(topics, partitions) AS m(t, p))
      ORDER BY tp.topic, tp."partition" FOR UPDATE;
    GET DIAGNOSTICS locked = ROW_COUNT;
    IF locked <> wanted THEN
      RAISE EXCEPTION 'the bus has no such topic: %', (SELECT string_agg(DISTINCT t, ', ') FROM unnest(topics) AS m(t)
        WHERE NOT EXISTS (SELECT 1 FROM bus.topic_partition tp WHERE tp.topic = t)) USING ERRCODE = 'TB001';
    END IF;
    INSERT INTO bus.event_log (topic, "partition", "offset", key, headers, value)
      SELECT m.t, m.p, tp.next_offset + row_number() OVER (PARTITION BY m.t, m.p ORDER BY m.n) - 1, m.k, m.h::json, m.v
      FROM unnest(topics, partitions, keys, headers, vals) WITH ORDINALITY AS m(t, p, k, h, v, n)
      JOIN bus.topic_partition tp ON tp.topic = m.t AND tp."partition" = m.p;
    UPDATE bus.topic_partition tp SET next_offset = tp.next_offset + added.n
      FROM (SELECT t, p, count(*) AS n FROM unnest(topics, partitions) AS m(t, p) GROUP BY t, p) AS added
      WHERE tp.topic = added.t AND tp."partition" = added.p;
    PERFORM pg_notify('bus_events', added.t || '/' || added.p) FROM (SELECT DISTINCT t, p FROM unnest(topics, partitions) AS m(t, p)) AS added;
  END $$`;

/**
 * One member's sign of life, and its share of the partitions. Each topic is divided evenly among the live members that want
 * it; a member takes free partitions up to its share and is told which ones it holds beyond it. Nothing is taken from a live
 * member: it gives a surplus back when its handler is through.
 */
export const HEARTBEAT = `
  CREATE FUNCTION bus.heartbeat(p_group text, p_member uuid, p_topics text[], p_session_ms integer)
  RETURNS TABLE (topic text, "partition" integer, "position" bigint, epoch bigint, next_offset bigint, surplus boolean)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    joined boolean;
    one text;
    members integer;
    rank integer;
    total integer;
    held integer;
    share integer;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('bus.group:' || p_group, 0));
    INSERT INTO bus.group_member AS m (group_name, member, topics, seen_at)
      VALUES (p_group, p_member, p_topics, clock_timestamp())
      ON CONFLICT (group_name, member) DO UPDATE SET topics = excluded.topics, seen_at = excluded.seen_at
      RETURNING m.xmax = 0 INTO joined;
    IF joined THEN PERFORM pg_notify('bus_group', p_group); END IF;
    DELETE FROM bus.group_member m
      WHERE m.group_name = p_group AND m.seen_at < clock_timestamp() - p_session_ms * interval '1 ms';
    INSERT INTO bus.group_cursor (group_name, topic, "partition")
      SELECT p_group, tp.topic, tp."partition" FROM bus.topic_partition tp
      WHERE tp.topic = ANY (p_topics) AND NOT EXISTS (SELECT 1 FROM bus.group_cursor c
        WHERE c.group_name = p_group AND c.topic = tp.topic AND c."partition" = tp."partition");
    UPDATE bus.group_cursor c SET owner = NULL
      WHERE c.group_name = p_group AND c.owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bus.group_member m
        WHERE m.group_name = p_group AND m.member = c.owner AND c.topic = ANY (m.topics));
    FOREACH one IN ARRAY p_topics LOOP
      SELECT count(*), count(*) FILTER (WHERE m.member < p_member) INTO members, rank
        FROM bus.group_member m WHERE m.group_name = p_group AND one = ANY (m.topics);
      SELECT count(*), count(*) FILTER (WHERE c.owner = p_member) INTO total, held
        FROM bus.group_cursor c WHERE c.group_name = p_group AND c.topic = one;
      -- The remainder of the division goes to other members for other topics.
      rank := (rank + (hashtext(one) & 1023)) % members;
      share := total / members + (rank < total % members)::integer;
      IF held < share THEN
        UPDATE bus.group_cursor c SET owner = p_member, epoch = c.epoch + 1
          WHERE c.group_name = p_group AND c.topic = one AND c."partition" IN (SELECT f."partition" FROM bus.group_cursor f
            WHERE f.group_name = p_group AND f.topic = one AND f.owner IS NULL ORDER BY f."partition" LIMIT share - held);
      END IF;
      RETURN QUERY SELECT c.topic, c."partition", c."position", c.epoch, tp.next_offset,
          row_number() OVER (ORDER BY c."partition") > share
        FROM bus.group_cursor c JOIN bus.topic_partition tp ON tp.topic = c.topic AND tp."partition" = c."partition"
        WHERE c.group_name = p_group AND c.topic = one AND c.owner = p_member;
    END LOOP;
  END $$`;

/** A member goes: its partitions are free, and the others are told. */
export const LEAVE = `
  CREATE FUNCTION bus.leave_group(p_group text, p_member uuid) RETURNS void LANGUAGE sql AS $$
    UPDATE bus.group_cursor SET owner = NULL WHERE group_name = p_group AND owner = p_member;
    DELETE FROM bus.group_member WHERE group_name = p_group AND member = p_member;
    SELECT pg_notify('bus_group', p_group);
  $$`;
