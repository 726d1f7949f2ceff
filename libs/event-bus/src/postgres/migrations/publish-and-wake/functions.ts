/**
 * The settings of the functions. A generic plan is made once per session; a plan for the parameter values would be made
 * for each call.
 */
const SETTINGS = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp SET plan_cache_mode = force_generic_plan`;

/**
 * Joins each partition in the relation `a` with the consumer groups of its topic and, for each group, with the member that
 * holds the partition. The member is null in three cases: no member holds the partition, the holder is not on the host
 * `p_host`, or the holder does not want to be woken for the topic.
 */
const HOLDERS = `
  LEFT JOIN (SELECT DISTINCT r.group_name, r.topic FROM bus.role_consumes r) AS r ON r.topic = a.topic
  LEFT JOIN bus.group_cursor c ON c.group_name = r.group_name AND c.topic = a.topic AND c."partition" = a."partition"
  LEFT JOIN bus.group_member m ON m.group_name = c.group_name AND m.member = c.owner
    AND m.wake_host = p_host AND a.topic = ANY (m.wake_topics)`;

/**
 * Appends events of topics that the role may publish, each to the partition of its key's hash. Offsets are assigned
 * under the partition's row lock, which is held until commit. So offsets become visible in order: a reader that sees an
 * offset also sees all offsets before it. Locks are taken in a fixed order, so two appends cannot deadlock.
 *
 * Returns one row for each partition and consumer group: the partition's new end, the number of appended events, and
 * the port of the member that holds the partition. The port is null in four cases: the topic has no group; no member
 * holds the partition; the holder is on another host, or has no port; or the holder does not want to be woken for the topic.
 */
export const PUBLISH = `
  CREATE FUNCTION bus.publish(p_topics text[], p_hashes integer[], p_keys text[], p_headers text[], p_values bytea[], p_host text)
  RETURNS TABLE (topic text, "partition" integer, next_offset bigint, events integer, wake_port integer) ${SETTINGS} AS $$
  #variable_conflict use_column
  DECLARE
    partitions integer;
  BEGIN
    IF EXISTS (SELECT FROM unnest(p_hashes) AS given (hash) WHERE hash IS NULL OR hash < 0) THEN
      RAISE EXCEPTION 'an event has no hash of its key' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF cardinality(p_topics) = 1 THEN
      -- For a single event, this statement costs a third of the statement for many events.
      SELECT count(*) INTO partitions FROM bus.topic_partition tp WHERE tp.topic = p_topics[1] AND EXISTS (
        SELECT FROM bus.role_publishes r WHERE r.role_name = session_user AND r.topic = p_topics[1]);
      IF partitions = 0 THEN PERFORM bus.refuse_topics(p_topics); END IF;
      RETURN QUERY
        WITH advanced AS (
          UPDATE bus.topic_partition tp SET next_offset = tp.next_offset + 1
          WHERE tp.topic = p_topics[1] AND tp."partition" = p_hashes[1] % partitions
          RETURNING tp.topic, tp."partition", tp.next_offset),
        inserted AS (
          INSERT INTO bus.event_log (topic, "partition", "offset", key, headers, value)
          SELECT a.topic, a."partition", a.next_offset - 1, p_keys[1], p_headers[1]::json, p_values[1] FROM advanced a)
        SELECT a.topic, a."partition", a.next_offset, 1, m.wake_port FROM advanced a ${HOLDERS};
      RETURN;
    END IF;
    PERFORM bus.refuse_topics(p_topics);
    RETURN QUERY
      WITH given AS MATERIALIZED (
        SELECT m.t, m.h % (SELECT count(*)::integer FROM bus.topic_partition tp WHERE tp.topic = m.t) AS p, m.k, m.hd, m.v, m.n
        FROM unnest(p_topics, p_hashes, p_keys, p_headers, p_values) WITH ORDINALITY AS m (t, h, k, hd, v, n)),
      added AS MATERIALIZED (SELECT t, p, count(*)::integer AS n FROM given GROUP BY t, p),
      locked AS MATERIALIZED (
        SELECT tp.topic, tp."partition" FROM bus.topic_partition tp JOIN added ON tp.topic = added.t AND tp."partition" = added.p
        ORDER BY tp.topic, tp."partition" FOR UPDATE OF tp),
      advanced AS (
        UPDATE bus.topic_partition tp SET next_offset = tp.next_offset + added.n
        FROM added JOIN locked ON locked.topic = added.t AND locked."partition" = added.p
        WHERE tp.topic = added.t AND tp."partition" = added.p
        RETURNING tp.topic, tp."partition", tp.next_offset, added.n),
      inserted AS (
        INSERT INTO bus.event_log (topic, "partition", "offset", key, headers, value)
        SELECT g.t, g.p, a.next_offset - a.n - 1 + row_number() OVER (PARTITION BY g.t, g.p ORDER BY g.n), g.k, g.hd::json, g.v
        FROM given g JOIN advanced a ON a.topic = g.t AND a."partition" = g.p)
      SELECT a.topic, a."partition", a.next_offset, a.n, m.wake_port FROM advanced a ${HOLDERS};
  END $$`;

/** Fails if one of the topics does not exist or may not be published by the role. Only `bus.publish` calls it. */
export const REFUSE_TOPICS = `
  CREATE FUNCTION bus.refuse_topics(p_topics text[]) RETURNS void ${SETTINGS} AS $$
  DECLARE
    refused text;
  BEGIN
    SELECT name INTO refused FROM unnest(p_topics) AS given (name) WHERE NOT EXISTS (SELECT FROM bus.role_publishes r
      JOIN bus.topic_partition tp ON tp.topic = r.topic AND tp."partition" = 0
      WHERE r.role_name = session_user AND r.topic = given.name) LIMIT 1;
    IF refused IS NOT NULL AND EXISTS (SELECT FROM bus.topic_partition tp WHERE tp.topic = refused) THEN
      RAISE EXCEPTION 'the role % may not publish %', session_user, refused USING ERRCODE = 'insufficient_privilege';
    ELSIF refused IS NOT NULL THEN
      RAISE EXCEPTION 'the bus has no such topic: %', refused USING ERRCODE = 'TB001';
    END IF;
  END $$`;

/**
 * Records a member's heartbeat: stores the member's positions and the address at which it can be woken for some of its
 * topics, assigns partitions to it, and returns the partitions that it holds. The partitions of each topic are divided
 * evenly among the topic's live members. A member takes free partitions up to its share; partitions that it holds
 * beyond its share are returned with `surplus`. No partition is taken from a live member: the member releases a surplus
 * partition when the partition's handler has ended.
 *
 * The cursor of a group in a partition has the stored position, and an epoch that grows with each new owner of the
 * partition. Only the owner moves the cursor, and only with the current epoch. A member that has just joined never moves
 * it: after a crash of Postgres, the positions of such a member may be ahead of the log. The commit does not wait for the
 * disk. If a crash undoes the commit, some events are delivered again, and the inbox skips them.
 */
export const BEAT = `
  CREATE FUNCTION bus.beat(p_group text, p_member uuid, p_topics text[], p_session_ms integer, p_host text, p_port integer,
    p_wake_topics text[], p_read_topics text[], p_read_partitions integer[], p_read_epochs bigint[], p_read_positions bigint[])
  RETURNS TABLE (topic text, "partition" integer, "position" bigint, epoch bigint, next_offset bigint, surplus boolean)
  ${SETTINGS} AS $$
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
    PERFORM bus.authorize_group(p_group, p_topics);
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('bus.group:' || p_group, 0));
    INSERT INTO bus.group_member AS m (group_name, member, topics, seen_at, wake_host, wake_port, wake_topics)
      VALUES (p_group, p_member, p_topics, clock_timestamp(), p_host, p_port, p_wake_topics)
      ON CONFLICT (group_name, member) DO UPDATE SET topics = excluded.topics, seen_at = excluded.seen_at,
        wake_host = excluded.wake_host, wake_port = excluded.wake_port, wake_topics = excluded.wake_topics
      RETURNING m.xmax = 0 INTO joined;
    IF joined THEN
      UPDATE bus.group_cursor c SET owner = NULL WHERE c.group_name = p_group AND c.owner = p_member;
      PERFORM pg_notify('bus_group', p_group); -- for members of the previous version
    ELSE
      UPDATE bus.group_cursor c SET "position" = done.o
        FROM unnest(p_read_topics, p_read_partitions, p_read_epochs, p_read_positions) AS done(t, p, e, o)
        WHERE c.group_name = p_group AND c.topic = done.t AND c."partition" = done.p
          AND c.owner = p_member AND c.epoch = done.e AND c."position" < done.o;
    END IF;
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

/** The heartbeat as processes of the previous version call it: without an address. */
export const HEARTBEAT_WITHOUT_ADDRESS = `
  CREATE OR REPLACE FUNCTION bus.heartbeat(p_group text, p_member uuid, p_topics text[], p_session_ms integer,
    p_read_topics text[], p_read_partitions integer[], p_read_epochs bigint[], p_read_positions bigint[])
  RETURNS TABLE (topic text, "partition" integer, "position" bigint, epoch bigint, next_offset bigint, surplus boolean)
  LANGUAGE sql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
    SELECT * FROM bus.beat(p_group, p_member, p_topics, p_session_ms, NULL, NULL, NULL,
      p_read_topics, p_read_partitions, p_read_epochs, p_read_positions)
  $$`;

/**
 * Releases a partition of a member, and stores the member's position. The position of a member that has not rejoined
 * after a crash of Postgres is not stored, because it may be ahead of the log.
 */
export const RELEASE_AS_MEMBER = `
  CREATE OR REPLACE FUNCTION bus.release(p_group text, p_member uuid, p_topic text, p_partition integer, p_epoch bigint, p_position bigint)
  RETURNS void ${SETTINGS} AS $$
  BEGIN
    PERFORM bus.authorize_group(p_group, ARRAY[p_topic]);
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE bus.group_cursor c SET owner = NULL, "position" = CASE
        WHEN EXISTS (SELECT FROM bus.group_member m WHERE m.group_name = p_group AND m.member = p_member)
        THEN greatest(c."position", p_position) ELSE c."position" END
      WHERE c.group_name = p_group AND c.topic = p_topic AND c."partition" = p_partition AND c.owner = p_member AND c.epoch = p_epoch;
    PERFORM pg_notify('bus_group', p_group); -- for members of the previous version
  END $$`;

/** Returns the ports of the group's other members on a host. */
export const WAKE_PORTS = `
  CREATE FUNCTION bus.wake_ports(p_group text, p_member uuid, p_host text) RETURNS TABLE (wake_port integer) ${SETTINGS} AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM bus.authorize_group(p_group, '{}');
    RETURN QUERY SELECT m.wake_port FROM bus.group_member m
      WHERE m.group_name = p_group AND m.member <> p_member AND m.wake_host = p_host AND m.wake_port IS NOT NULL;
  END $$`;

/**
 * Reads the next events of some partitions. With each event, returns the place of the event's partition in the given
 * lists, counted from 1. From each partition, the function returns at most 200 events, and stops after the event with
 * which their values reach 1 MiB. The second limit protects the memory: an event can have 900,000 bytes, and a process
 * holds one such batch per partition.
 */
export const READ_WITH_KEPT_PLANS = `
  CREATE OR REPLACE FUNCTION bus.read_partitions(p_group text, p_topics text[], p_partitions integer[], p_positions bigint[])
  RETURNS TABLE (place integer, "offset" bigint, key text, headers json, value bytea) STABLE ${SETTINGS} AS $$
  #variable_conflict use_column
  BEGIN
    IF EXISTS (SELECT FROM unnest(p_topics) AS wanted (name) WHERE NOT EXISTS (SELECT FROM bus.role_consumes r
        WHERE r.role_name = session_user AND r.group_name = p_group AND r.topic = wanted.name)) THEN
      PERFORM bus.authorize_group(p_group, p_topics);
    END IF;
    RETURN QUERY SELECT wanted.n::integer, next."offset", next.key, next.headers, next.value
      FROM unnest(p_topics, p_partitions, p_positions) WITH ORDINALITY AS wanted (topic, "partition", "position", n)
      CROSS JOIN LATERAL (SELECT l."offset", l.key, l.headers, l.value,
          sum(octet_length(l.value)) OVER (ORDER BY l."offset" ROWS UNBOUNDED PRECEDING) - octet_length(l.value) AS bytes_before
        FROM bus.event_log l
        WHERE l.topic = wanted.topic AND l."partition" = wanted."partition" AND l."offset" >= wanted."position"
        ORDER BY l."offset" LIMIT 200) AS next
      WHERE next.bytes_before < 1048576 ORDER BY wanted.n, next."offset";
  END $$`;
