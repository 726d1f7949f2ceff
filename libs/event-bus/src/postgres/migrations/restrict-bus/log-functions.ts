/**
 * Appends to topics that the role may publish. Offsets are assigned under the partition's row lock, which is held until
 * commit. So offsets become visible in order: a reader that sees an offset also sees all offsets before it. Locks are
 * taken in a fixed order, so two appends cannot deadlock. If an app consumes a topic, notifications on the topic's
 * channel report the new ends of the topic's partitions.
 */
export const APPEND_AS_PUBLISHER = `
  CREATE OR REPLACE FUNCTION bus.append(topics text[], partitions integer[], keys text[], headers text[], vals bytea[])
  RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  DECLARE
    wanted integer;
    locked integer;
    refused text;
  BEGIN
    IF NOT topics <@ ARRAY(SELECT r.topic FROM bus.role_publishes r WHERE r.role_name = session_user) THEN
      SELECT min(tp.topic) INTO refused FROM bus.topic_partition tp WHERE tp.topic = ANY (topics)
        AND NOT EXISTS (SELECT FROM bus.role_publishes r WHERE r.role_name = session_user AND r.topic = tp.topic);
      IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'the role % may not publish %', session_user, refused USING ERRCODE = 'insufficient_privilege';
      END IF; -- the other topics do not exist, which is reported below
    END IF;
    SELECT count(DISTINCT (t, p)) INTO wanted FROM unnest(topics, partitions) AS m(t, p);
    PERFORM FROM bus.topic_partition tp
      WHERE (tp.topic, tp."partition") IN (SELECT t, p FROM unnest(topics, partitions) AS m(t, p))
      ORDER BY tp.topic, tp."partition" FOR UPDATE;
    GET DIAGNOSTICS locked = ROW_COUNT;
    IF locked <> wanted THEN
      RAISE EXCEPTION 'the bus has no such topic: %', (SELECT string_agg(DISTINCT t, ', ') FROM unnest(topics) AS m(t)
        WHERE NOT EXISTS (SELECT FROM bus.topic_partition tp WHERE tp.topic = t)) USING ERRCODE = 'TB001';
    END IF;
    INSERT INTO bus.event_log (topic, "partition", "offset", key, headers, value)
      SELECT m.t, m.p, tp.next_offset + row_number() OVER (PARTITION BY m.t, m.p ORDER BY m.n) - 1, m.k, m.h::json, m.v
      FROM unnest(topics, partitions, keys, headers, vals) WITH ORDINALITY AS m(t, p, k, h, v, n)
      JOIN bus.topic_partition tp ON tp.topic = m.t AND tp."partition" = m.p;
    WITH appended AS (
      UPDATE bus.topic_partition tp SET next_offset = tp.next_offset + added.n
        FROM (SELECT t, p, count(*) AS n FROM unnest(topics, partitions) AS m(t, p) GROUP BY t, p) AS added
        WHERE tp.topic = added.t AND tp."partition" = added.p
        RETURNING tp.topic, tp."partition", tp.next_offset)
    SELECT count(pg_notify('bus.' || a.topic, format('%s/%s', a."partition", a.next_offset))) INTO locked FROM appended a
      WHERE EXISTS (SELECT FROM bus.role_consumes r WHERE r.topic = a.topic);
  END $$`;

/** Returns the number of partitions of each topic that the role may publish. */
export const PARTITIONS = `
  CREATE FUNCTION bus.partitions() RETURNS TABLE (topic text, partitions integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = bus, pg_temp AS $$
    SELECT tp.topic, count(*)::integer FROM bus.topic_partition tp
    JOIN bus.role_publishes r ON r.role_name = session_user AND r.topic = tp.topic GROUP BY tp.topic
  $$`;

/**
 * Removes up to 5,000 events past the retention, and returns whether there may be more. Offsets are in time order, so
 * only the oldest events of each partition are read.
 */
export const PRUNE = `
  CREATE FUNCTION bus.prune() RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  DECLARE
    kept_since timestamptz := clock_timestamp() - (SELECT days FROM bus.retention) * interval '1 day';
    remaining integer := 5000;
    deleted integer;
    one record;
  BEGIN
    FOR one IN SELECT tp.topic, tp."partition" FROM bus.topic_partition tp ORDER BY tp.topic, tp."partition" LOOP
      DELETE FROM bus.event_log l WHERE l.topic = one.topic AND l."partition" = one."partition" AND l.appended_at < kept_since
        AND l."offset" IN (SELECT o."offset" FROM bus.event_log o WHERE o.topic = one.topic AND o."partition" = one."partition"
          ORDER BY o."offset" LIMIT remaining);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      remaining := remaining - deleted;
      EXIT WHEN remaining <= 0;
    END LOOP;
    RETURN remaining <= 0;
  END $$`;
