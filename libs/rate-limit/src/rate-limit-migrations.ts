import type { MigrationClass } from '@tandem/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

class CreateRateLimitWindows1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Before this lib existed, partner-gateway had a table with the same name, which counted the requests of tokens. The
    // old table is dropped, so counting starts from zero.
    await runner.query(`drop function if exists reserve_permits`);
    await runner.query(`drop table if exists rate_limit_window`);
    // The table is unlogged, so that counting does not wait for the disk. A crash of Postgres empties the table, and every
    // caller gets a new window. There is no foreign key and no other index, so nearly all writes, which are updates, stay
    // within their page.
    await runner.query(`
      create unlogged table rate_limit_window (
        caller text not null,
        policy text not null,
        times timestamptz[] not null,
        counts integer[] not null check (cardinality(counts) = cardinality(times)),
        granted integer not null,
        primary key (caller, policy)
      ) with (fillfactor = 40)`);
    // The statement is in a function, so that Postgres keeps its plan.
    //
    // A row is a log of granted permits: no interval of the window's length contains more than max_count permits. Permits that
    // are granted in the same sixtieth of a window share one entry with the time of the last of these permits. So rows stay
    // small, and no permit leaves the window too early.
    //
    // A grant has one permit for each waiting request, if enough permits are free. If few requests wait, a grant has
    // more permits: a batch, or a tenth of the free permits if this is less. Because of this limit, one replica does
    // not hold the last permits while another replica refuses requests. The clock is read after the row is locked, so
    // the times in a row are in order. If the clock is set back, a caller waits for at most one window.
    await runner.query(`
      create function reserve_permits(
        for_caller text, for_policy text, max_count integer, window_seconds integer, waiting integer, batch integer)
      returns table (granted integer, remaining integer, reset_ms double precision)
      language plpgsql set plan_cache_mode = force_generic_plan as $$
      #variable_conflict use_column
      begin
        return query
        insert into rate_limit_window as w (caller, policy, times, counts, granted)
        select for_caller, for_policy, array[clock_timestamp()], array[fresh.count], fresh.count
          from (select least(max_count, greatest(waiting, least(batch, max_count / 10))) as count) fresh
        on conflict (caller, policy) do update set (times, counts, granted) = (
          with clock as materialized (select clock_timestamp() as now),
          live as (
            select least(entry.at, clock.now) as at, entry.count
              from clock, unnest(w.times, w.counts) as entry (at, count)
             where entry.at > clock.now - make_interval(secs => window_seconds)
          ),
          free as (select greatest(0, max_count - coalesce(sum(live.count), 0))::integer as permits from live),
          fresh as (
            select clock.now as at, least(free.permits, greatest(waiting, least(batch, free.permits / 10))) as count
              from clock, free
          ),
          slot as (
            select max(entry.at) as at, sum(entry.count)::integer as count
              from (select * from live union all select * from fresh where fresh.count > 0) entry
             group by date_bin(make_interval(secs => window_seconds / 60.0), entry.at, timestamptz 'epoch')
          )
          select array_agg(slot.at order by slot.at), array_agg(slot.count order by slot.at),
                 (select fresh.count from fresh)
            from slot
        )
        returning
          w.granted,
          greatest(0, max_count - (select sum(n) from unnest(w.counts) as n))::integer,
          -- The time until a permit is free: until the oldest permit leaves the window. After the limit was lowered, the
          -- permits granted beyond the new limit must leave first.
          1000 * (window_seconds + extract(epoch from (
            select min(entry.at)
              from (select e.at, sum(e.count) over (order by e.at) as left_by_then
                      from unnest(w.times, w.counts) as e (at, count)) entry
             where entry.left_by_then > (select sum(n) from unnest(w.counts) as n) - max_count
          ) - clock_timestamp()))::double precision;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function reserve_permits`);
    await runner.query(`drop table rate_limit_window`);
  }
}

/** The migrations of the table and the function behind {@link RateLimits}. An app adds them to those of its own schema. */
export const RATE_LIMIT_MIGRATIONS: readonly MigrationClass[] = [CreateRateLimitWindows1764700000000];
