import type { MigrationInterface, QueryRunner } from 'typeorm';
import { PRUNE } from './restrict-bus/log-functions';

/**
 * Removes up to 5,000 events that are past the retention and that every consumer group of their topic has read, and
 * returns whether there may be more. A group counts from its first heartbeat, until its cursors (its stored positions)
 * are deleted or its role may no longer consume the topic. Offsets are in time order, so only the oldest events of each
 * partition are read. The function also removes members that have had no heartbeat for an hour. Otherwise the last
 * member of a group would keep its row after it was killed, because only heartbeats of other members of the group
 * remove a killed member.
 */
const PRUNE_READ_EVENTS = `
  CREATE OR REPLACE FUNCTION bus.prune() RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  DECLARE
    kept_since timestamptz := clock_timestamp() - (SELECT days FROM bus.retention) * interval '1 day';
    remaining integer := 5000;
    deleted integer;
    one record;
  BEGIN
    DELETE FROM bus.group_member m WHERE m.seen_at < clock_timestamp() - interval '1 hour';
    FOR one IN SELECT tp.topic, tp."partition", coalesce((SELECT min(c."position") FROM bus.group_cursor c
          WHERE c.topic = tp.topic AND c."partition" = tp."partition" AND EXISTS (SELECT FROM bus.role_consumes r
            WHERE r.group_name = c.group_name AND r.topic = c.topic)), 9223372036854775807) AS read_to
        FROM bus.topic_partition tp ORDER BY tp.topic, tp."partition" LOOP
      DELETE FROM bus.event_log l WHERE l.topic = one.topic AND l."partition" = one."partition" AND l.appended_at < kept_since
        AND l."offset" < one.read_to
        AND l."offset" IN (SELECT o."offset" FROM bus.event_log o WHERE o.topic = one.topic AND o."partition" = one."partition"
          ORDER BY o."offset" LIMIT remaining);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      remaining := remaining - deleted;
      EXIT WHEN remaining <= 0;
    END LOOP;
    RETURN remaining <= 0;
  END $$`;

/**
 * A view for the owner of the bus. For each consumer group and topic, it shows how many events are unread, the time of
 * the oldest of them, and how many members had a heartbeat in the last minute.
 */
const GROUPS = `
  CREATE VIEW bus.group_lag AS
    SELECT c.group_name, c.topic, sum(tp.next_offset - c."position")::bigint AS events,
           min((SELECT l.appended_at FROM bus.event_log l WHERE l.topic = c.topic AND l."partition" = c."partition"
                AND l."offset" >= c."position" ORDER BY l."offset" LIMIT 1)) AS oldest_at,
           (SELECT count(*) FROM bus.group_member m WHERE m.group_name = c.group_name AND c.topic = ANY (m.topics)
              AND m.seen_at > clock_timestamp() - interval '1 minute')::integer AS members
    FROM bus.group_cursor c JOIN bus.topic_partition tp ON tp.topic = c.topic AND tp."partition" = c."partition"
    GROUP BY c.group_name, c.topic`;

/** Makes the bus keep events that a group has not read, however old they are. */
export class KeepUnreadEvents1768100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PRUNE_READ_EVENTS);
    await runner.query(GROUPS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW bus.group_lag');
    await runner.query(PRUNE.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'));
  }
}
