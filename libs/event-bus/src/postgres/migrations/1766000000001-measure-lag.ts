import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Returns how many events a group has not handled yet, by topic, according to the stored positions of the group.
 */
const LAG = `
  CREATE FUNCTION bus.lag(p_group text, p_topics text[]) RETURNS TABLE (topic text, events bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = bus, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM bus.authorize_group(p_group, p_topics);
    RETURN QUERY SELECT tp.topic, sum(tp.next_offset - coalesce(c."position", 0))::bigint
      FROM bus.topic_partition tp
      LEFT JOIN bus.group_cursor c ON c.group_name = p_group AND c.topic = tp.topic AND c."partition" = tp."partition"
      WHERE tp.topic = ANY (p_topics) GROUP BY tp.topic;
  END $$`;

/** Lets each app measure the lag of its own consumer group. */
export class MeasureLag1766000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LAG);
    await runner.query('REVOKE ALL ON FUNCTION bus.lag FROM PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION bus.lag');
  }
}
