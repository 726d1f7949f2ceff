/**
 * Fails if the group is not the role's own, or if the role may not consume one of the topics. Only the other functions
 * of the bus call it.
 */
export const AUTHORIZE = `
  CREATE FUNCTION bus.authorize_group(p_group text, p_topics text[]) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = bus, pg_temp AS $$
  DECLARE
    own text[] := ARRAY(SELECT r.topic FROM bus.role_consumes r WHERE r.role_name = session_user AND r.group_name = p_group);
  BEGIN
    IF cardinality(own) = 0 OR NOT coalesce(p_topics <@ own, false) THEN
      RAISE EXCEPTION 'the role % may not consume % as the group %', session_user, array_to_string(p_topics, ', '), p_group
        USING ERRCODE = 'insufficient_privilege';
    END IF;
  END $$`;

/**
 * Records a member's heartbeat: stores the member's positions, assigns partitions to it, and returns the partitions
 * that it holds. The partitions of each topic are divided evenly among the topic's live members. A member takes free
 * partitions up to its share; partitions that it holds beyond its share are returned with `surplus`. No partition is
 * taken from a live member: the member releases a surplus partition when the partition's handler has ended.
 *
 * The cursor of a group in a partition has the stored position, and an epoch that grows with each new owner of the
 * partition. Only the owner moves the cursor, and only with the current epoch. The commit does not wait for the disk. If a
 * crash of Postgres undoes the commit, some events are delivered again, and the inbox skips them.
 */
export const HEARTBEAT_AS_MEMBER = `
  CREATE FUNCTION bus.heartbeat(p_group text, p_member uuid, p_topics text[], p_session_ms integer,
    p_read_topics text[], p_read_partitions integer[], p_read_epochs bigint[], p_read_positions bigint[])
  RETURNS TABLE (topic text, "partition" integer, "position" bigint, epoch bigint, next_offset bigint, surplus boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
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
    UPDATE bus.group_cursor c SET "position" = done.o
      FROM unnest(p_read_topics, p_read_partitions, p_read_epochs, p_read_positions) AS done(t, p, e, o)
      WHERE c.group_name = p_group AND c.topic = done.t AND c."partition" = done.p
        AND c.owner = p_member AND c.epoch = done.e AND c."position" < done.o;
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

/**
 * Reads the next events of some partitions. With each event, returns the place of the event's partition in the given
 * lists, counted from 1. From each partition, the function returns at most 200 events, and stops after the event with
 * which their values reach 1 MiB. The second limit protects the memory: an event can have 900,000 bytes, and a process
 * holds one such batch per partition.
 */
export const READ_PARTITIONS = `
  CREATE OR REPLACE FUNCTION bus.read_partitions(p_group text, p_topics text[], p_partitions integer[], p_positions bigint[])
  RETURNS TABLE (place integer, "offset" bigint, key text, headers json, value bytea)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM bus.authorize_group(p_group, p_topics);
    RETURN QUERY SELECT wanted.n::integer, next."offset", next.key, next.headers, next.value
      FROM unnest(p_topics, p_partitions, p_positions) WITH ORDINALITY AS wanted (topic, "partition", "position", n)
      CROSS JOIN LATERAL (SELECT l."offset", l.key, l.headers, l.value,
          sum(octet_length(l.value)) OVER (ORDER BY l."offset" ROWS UNBOUNDED PRECEDING) - octet_length(l.value) AS bytes_before
        FROM bus.event_log l
        WHERE l.topic = wanted.topic AND l."partition" = wanted."partition" AND l."offset" >= wanted."position"
        ORDER BY l."offset" LIMIT 200) AS next
      WHERE next.bytes_before < 1048576 ORDER BY wanted.n, next."offset";
  END $$`;

/** Releases a partition of a member, and stores the member's position. */
export const RELEASE = `
  CREATE FUNCTION bus.release(p_group text, p_member uuid, p_topic text, p_partition integer, p_epoch bigint, p_position bigint)
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  BEGIN
    PERFORM bus.authorize_group(p_group, ARRAY[p_topic]);
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE bus.group_cursor SET "position" = greatest("position", p_position), owner = NULL
      WHERE group_name = p_group AND topic = p_topic AND "partition" = p_partition AND owner = p_member AND epoch = p_epoch;
    PERFORM pg_notify('bus_group', p_group);
  END $$`;

/** Lets a member leave: its partitions become free. Members that listen on the channel `bus_group` are notified. */
export const LEAVE_AS_MEMBER = `
  CREATE FUNCTION bus.leave_group(p_group text, p_member uuid)
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  BEGIN
    PERFORM bus.authorize_group(p_group, '{}');
    UPDATE bus.group_cursor SET owner = NULL WHERE group_name = p_group AND owner = p_member;
    DELETE FROM bus.group_member WHERE group_name = p_group AND member = p_member;
    PERFORM pg_notify('bus_group', p_group);
  END $$`;
