import { addClosureNotices, mayBeAccepted } from '../delivery/closure.statements';
import { countResults } from '../statistics/delivery-statistic.statements';

/**
 * An SQL condition that is true if the result `r` of an attempt counts for the delivery `d`. A failure counts under two conditions: no
 * other result was stored since the attempt's worker read the delivery, and the delivery is pending or was stopped during the attempt
 * because its sale was closed.
 *
 * A result with which the endpoint accepted the delivery counts even if it is late, as a further attempt. A result is late if the process
 * lost the shard during the attempt, and in the meantime the next owner has stored failures (even the last one) or the delivery has
 * expired. A late result does not count after a replay has restarted the retries, because the replay must be sent.
 */
const TAKES_RESULT = `
  (d.status = 'pending' or d.status = 'failed'
    and (r.outcome = 'delivered' or d.closed_by is not null and d.failure_reason is null))
  and (d.attempt_count = r.attempts_before
    or r.outcome = 'delivered' and r.attempts_before between d.attempts_before_replay and d.attempt_count)`;

/**
 * Selects postbacks that were in flight when their sale was closed, and that the endpoint has now accepted, or may have accepted. The
 * closure notices of these sales are therefore added now.
 */
const MAYBE_ACCEPTED_AFTER_CLOSING = `
  select m.* from marked m join result r using (id)
  where m.closed_at is not null and m.kind = 'sale' and ${mayBeAccepted('r.http_status', 'r.error')}`;

/**
 * Marks deliveries, logs their attempts, counts the results and adds closure notices. A delivery that had failed before the endpoint
 * accepted it keeps its failure reason, which shows that the statistics have already counted the failure.
 * @param unlocked whether to skip rows that another transaction has locked
 */
const markAndLog = (unlocked: boolean): string => `
  result as (
    select * from json_to_recordset($2::json) as r (id uuid, attempts_before integer, outcome text, next_in_ms float8, reason text,
      at float8, http_status smallint, latency_ms integer, error text, response text)),
  ${unlocked ? UNLOCKED : ''}
  marked as (
    update delivery d set attempt_count = d.attempt_count + 1,
      failure_reason = case when d.status = 'pending' then r.reason else d.failure_reason end,
      status = case when d.status = 'pending' or r.outcome = 'delivered' then r.outcome else d.status end,
      next_attempt_at = case when d.status = 'pending' then clock_timestamp() + r.next_in_ms * interval '1 millisecond' end,
      delivered_at = case when r.outcome = 'delivered' then clock_timestamp() end
    from result r ${unlocked ? 'join unlocked using (id)' : ''}
    where d.id = r.id and d.id = any ($1) and d.created_at between $3 and $4
      and ${TAKES_RESULT}
    returning d.id, d.partner_id, d.environment, d.created_at, d.status, d.failure_reason, d.attempt_count, d.oid,
      d.ref_id, d.event_id, d.traceparent, d.kind, d.closed_by, d.closed_at),
  logged as (
    insert into attempt (delivery_id, number, at, status, latency_ms, error, response)
    select r.id, m.attempt_count, to_timestamp(r.at / 1000), r.http_status, r.latency_ms, r.error, r.response
    from result r join marked m using (id)),
  counted as (${countResults('marked', 'result')}),
  ${addClosureNotices(MAYBE_ACCEPTED_AFTER_CLOSING)}`;

const UNLOCKED = `unlocked as materialized (
    select id from delivery where id = any ($1) and created_at between $3 and $4 for update skip locked),`;

/** Stores results. Waits for locked rows. */
export const MARK = { name: 'result-store', with: markAndLog(false) };
/** Stores the results whose deliveries are not locked. */
export const MARK_UNLOCKED = { name: 'result-store-unlocked', with: markAndLog(true) };

/**
 * Finds, for results that were not stored because another transaction had locked their deliveries, the deliveries for which these results
 * still count.
 */
export const FIND_OPEN = `
  select d.id::text from unnest($1::uuid[], $2::integer[], $3::text[]) as r (id, attempts_before, outcome) join delivery d using (id)
  where ${TAKES_RESULT}`;

/**
 * Stores changes of endpoints. A change is dropped if a newer version of the configuration is stored, because the change belongs to an
 * older one. A change is also dropped if a replica has taken the shard again in the meantime.
 */
export const CHANGE_ENDPOINTS = `
  with locked as materialized (select id, shard from endpoint where id = any ($1) order by id for update),
  change as (
    select * from json_to_recordset($2::json) as c (id uuid, epoch bigint, version integer, exhausted integer, reason text,
      level smallint, blocked_ms float8))
  update endpoint e set consecutive_exhausted = c.exhausted, breaker_level = c.level,
    blocked_until = case when c.blocked_ms > 0 then clock_timestamp() + c.blocked_ms * interval '1 millisecond' end,
    failing_since = case when c.level > 0 or c.exhausted > 0 or c.reason is not null then coalesce(e.failing_since, clock_timestamp()) end,
    status = case when c.reason is null then e.status else 'disabled' end,
    disabled_reason = coalesce(e.disabled_reason, c.reason)
  from change c join locked l using (id) join shard s on s.id = l.shard and s.epoch = c.epoch
  where e.id = c.id and e.config_version = c.version`;
