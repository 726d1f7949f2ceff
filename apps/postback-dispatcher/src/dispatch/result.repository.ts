import { Injectable } from '@nestjs/common';
import { POSTBACK_DELIVERED, POSTBACK_FAILED } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import { type EventOfRow, eventOfRow, type Insertion, Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { addClosureNotices } from '../delivery/closure.statements';
import { CLOCK_TOLERANCE_MS } from '../delivery/partition.rules';
import { countResults } from '../statistics/delivery-statistic.statements';
import { errorTextOf } from '../attempt/attempt.rules';
import type { AttemptResult, EndpointChange } from './dispatch-types';
import { SendingDatabase } from './sending-database';

/** A result, with the endpoint's new state if the attempt changed it. */
export interface ResultToStore extends AttemptResult {
  readonly change: EndpointChange | null;
}

/**
 * Stores the results of attempts in batches.
 *
 * The transactions that change deliveries lock rows in this order: `sale_delivery`, deliveries, statistics, then endpoints by id. Only
 * `storeUnlocked` and holding lock endpoints first. Both skip locked deliveries, as do replays of a range and expiry. Storing results waits
 * 250 ms for a locked row, and is then repeated by `storeUnlocked`. Closing sales and replaying a single delivery wait for locked
 * deliveries. If two of them deadlock, Postgres aborts one: the closing is retried, or the replay is answered 503. Only ShardRepository
 * locks shards. Besides shards, it locks only rows of `replica`.
 */
@Injectable()
export class ResultRepository {
  constructor(
    private readonly outbox: Outbox,
    private readonly sending: SendingDatabase,
  ) {}

  /**
   * Updates deliveries, stores attempts, counts the results in the statistics, changes endpoints, and adds the events and closure notices.
   * All this happens in one statement or, when endpoints change, in one transaction.
   *
   * A result counts only if its delivery still has the `attempt_count` that the attempt found. So no attempt counts twice when a slow
   * process loses its shard and another process continues. A delivery whose sale was closed during the attempt stays failed, unless the
   * endpoint accepted the postback. A delivery that is held, or that had already failed for another reason, takes no result.
   * @returns the ids of the deliveries whose result counted, except deliveries that stay stopped because their sale was closed
   * @throws an error for which `isLockTimeout` is true when another transaction has locked a row; nothing is stored then
   */
  async store(results: readonly AttemptResult[], changes: readonly EndpointChange[]): Promise<ReadonlySet<string>> {
    if (changes.length === 0) {
      const runner = this.sending.source.createQueryRunner();
      const counted = await this.mark(runner.manager, results, MARK).finally(() => runner.release());
      this.outbox.committed(runner.manager);
      return counted;
    }
    return this.transaction(async (manager) => {
      const counted = await this.mark(manager, results, MARK);
      await this.changeEndpoints(manager, changes);
      return counted;
    });
  }

  /** Runs a transaction on a connection for sending. `Outbox.transaction` would use another connection. */
  private async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    let used: EntityManager | undefined;
    const result = await this.sending.source.transaction((manager) => work((used = manager)));
    if (used) this.outbox.committed(used);
    return result;
  }

  /**
   * Stores only the results whose delivery and endpoint no other transaction has locked.
   * @returns the ids of the deliveries whose results were left out
   * @throws an error for which `isLockTimeout` is true when another transaction has locked rows of statistics; nothing is stored then
   */
  async storeUnlocked(results: readonly ResultToStore[]): Promise<ReadonlySet<string>> {
    return this.transaction(async (manager) => {
      const free = await this.lockEndpoints(manager, results);
      const isFree = ({ change }: ResultToStore): boolean => change === null || free.has(change.endpointId);
      const storable = results.filter(isFree);
      const marked = await this.mark(manager, storable, MARK_UNLOCKED);
      const changes = storable.flatMap(({ change }) => change ?? []);
      if (changes.length > 0) await this.changeEndpoints(manager, changes);
      const unmarked = storable.filter(({ delivery }) => !marked.has(delivery.id));
      const open = await queryPrepared<{ id: string }>(runnerOf(manager), 'results-open', FIND_OPEN, [
        unmarked.map(({ delivery }) => delivery.id),
        unmarked.map(({ delivery }) => delivery.attemptCount),
      ]);
      const left = results.filter((result) => !isFree(result)).map(({ delivery }) => delivery.id);
      return new Set([...left, ...open.map(({ id }) => id)]);
    });
  }

  private async mark(
    manager: EntityManager,
    results: readonly AttemptResult[],
    statement: Pick<Insertion, 'name' | 'with'>,
  ): Promise<ReadonlySet<string>> {
    if (results.length === 0) return NONE;
    // A batch may contain two results of one delivery: one from a worker that lost its shard, and one from the worker that was created
    // after this process took the shard back. Only the first result counts.
    const firsts = new Map<string, AttemptResult>();
    for (const result of results) if (!firsts.has(result.delivery.id)) firsts.set(result.delivery.id, result);
    const once = [...firsts.values()];
    const at = new Date().toISOString();
    const events = once.flatMap((result) => eventOf(result, at) ?? []);
    return this.outbox.insertWithEvents({ ...statement, ...markingOf(once) }, events, manager);
  }

  private async lockEndpoints(manager: EntityManager, results: readonly ResultToStore[]): Promise<ReadonlySet<string>> {
    const ids = results.flatMap(({ change }) => change?.endpointId ?? []);
    if (ids.length === 0) return NONE;
    const lock = 'select id::text from endpoint where id = any ($1::uuid[]) order by id for update skip locked';
    const rows = await queryPrepared<{ id: string }>(runnerOf(manager), 'endpoints-lock', lock, [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  private async changeEndpoints(manager: EntityManager, changes: readonly EndpointChange[]): Promise<void> {
    const last = new Map(changes.map((change) => [change.endpointId, change]));
    await queryPrepared(runnerOf(manager), 'endpoint-change', CHANGE_ENDPOINTS, [
      [...last.keys()],
      JSON.stringify([...last.values()].map(changeRow)),
    ]);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the final select of the statement that stores results, and the statement's values. */
function markingOf(results: readonly AttemptResult[]): Pick<Insertion, 'text' | 'values'> {
  const createdAt = results.map(({ delivery }) => delivery.createdAt);
  return {
    // A delivery that stays stopped publishes no event: the closing of its sale is the reason why it failed.
    text: `select id::text from marked where status <> 'failed' or failure_reason is not null`,
    values: [
      results.map(({ delivery }) => delivery.id),
      // The batch is one JSON text, because serializing arrays of many texts costs more CPU.
      JSON.stringify(results.map(resultRow)),
      new Date(Math.min(...createdAt) - CLOCK_TOLERANCE_MS),
      new Date(Math.max(...createdAt) + CLOCK_TOLERANCE_MS),
    ],
  };
}

/**
 * Returns the event that reports a final result, in the trace of the delivery's sale. Returns null if the delivery stays pending, and for
 * closure notices.
 */
function eventOf({ delivery, outcome, verdict }: AttemptResult, at: string): EventOfRow | null {
  const { oid, partnerId, environment, id: deliveryId } = delivery;
  const reference = { oid, partnerId, environment, deliveryId, attempts: delivery.attemptCount + 1 };
  const trace = { traceparent: delivery.traceparent ?? undefined };
  // A closure notice publishes no event: consumers learn of the refund or charge-back from sale.closed.
  if (delivery.kind !== 'sale') return null;
  const { status } = outcome;
  if (verdict.status === 'delivered' && status !== null)
    return eventOfRow(deliveryId, POSTBACK_DELIVERED, { data: { ...reference, status, deliveredAt: at }, ...trace });
  if (verdict.status !== 'failed') return null;
  const answered = status === null ? {} : { status };
  const data = { ...reference, ...answered, reason: verdict.reason, failedAt: at };
  return eventOfRow(deliveryId, POSTBACK_FAILED, { data, ...trace });
}

/** Converts a result to an element of the statement's JSON parameter. */
const resultRow = ({ delivery, outcome, verdict }: AttemptResult): object => ({
  id: delivery.id,
  attempts_before: delivery.attemptCount,
  outcome: verdict.status,
  next_in_ms: verdict.status === 'pending' ? verdict.nextInMs : undefined,
  reason: verdict.status === 'failed' ? verdict.reason : undefined,
  at: outcome.startedAt,
  http_status: outcome.status ?? undefined,
  latency_ms: outcome.latencyMs,
  error: errorTextOf(outcome) ?? undefined,
  response: outcome.response ?? undefined,
});

/**
 * The condition under which the delivery `d` takes the result of an attempt: it is pending, or it was stopped during the attempt because
 * its sale was closed.
 */
const TAKES_RESULTS = `(d.status = 'pending' or d.status = 'failed' and d.closed_by is not null and d.failure_reason is null)`;

/**
 * Selects postbacks that were in flight when their sale was closed, and that the endpoint has now accepted. Only now may their partners get
 * a closure notice.
 */
const ACCEPTED_AFTER_CLOSING = `select * from marked where status = 'delivered' and closed_at is not null and kind = 'sale'`;

/** @param unlocked whether to skip rows that another transaction has locked */
const markAndLog = (unlocked: boolean): string => `
  result as (
    select * from json_to_recordset($2::json) as r (id uuid, attempts_before integer, outcome text, next_in_ms float8, reason text,
      at float8, http_status smallint, latency_ms integer, error text, response text)),
  ${unlocked ? UNLOCKED : ''}
  marked as (
    update delivery d set failure_reason = case when d.status = 'pending' then r.reason end, attempt_count = r.attempts_before + 1,
      status = case when d.status = 'pending' or r.outcome = 'delivered' then r.outcome else d.status end,
      next_attempt_at = case when d.status = 'pending' then clock_timestamp() + r.next_in_ms * interval '1 millisecond' end,
      delivered_at = case when r.outcome = 'delivered' then clock_timestamp() end
    from result r ${unlocked ? 'join unlocked using (id)' : ''}
    where d.id = r.id and d.id = any ($1) and d.created_at between $3 and $4
      and ${TAKES_RESULTS} and d.attempt_count = r.attempts_before
    returning d.id, d.partner_id, d.environment, d.created_at, d.status, d.failure_reason, d.oid, d.ref_id, d.event_id, d.traceparent, d.kind,
      d.closed_by, d.closed_at),
  logged as (
    insert into attempt (delivery_id, number, at, status, latency_ms, error, response)
    select r.id, r.attempts_before + 1, to_timestamp(r.at / 1000), r.http_status, r.latency_ms, r.error, r.response
    from result r join marked using (id)),
  counted as (${countResults('marked', 'result')}),
  ${addClosureNotices(ACCEPTED_AFTER_CLOSING)}`;

const UNLOCKED = `unlocked as materialized (
    select id from delivery where id = any ($1) and created_at between $3 and $4 for update skip locked),`;

const MARK = { name: 'result-store', with: markAndLog(false) };
const MARK_UNLOCKED = { name: 'result-store-unlocked', with: markAndLog(true) };

/**
 * Finds the deliveries that would still take the results of their attempts. Their results were left out because another transaction has
 * locked their rows.
 */
const FIND_OPEN = `
  select d.id::text from unnest($1::uuid[], $2::integer[]) as r (id, attempts_before) join delivery d using (id)
  where ${TAKES_RESULTS} and d.attempt_count = r.attempts_before`;

/** Converts a change to an element of the statement's JSON parameter. */
const changeRow = (change: EndpointChange): object => ({
  id: change.endpointId,
  epoch: change.shardEpoch,
  version: change.configVersion,
  exhausted: change.consecutiveExhausted,
  reason: change.disabledReason,
  level: change.breakerLevel,
  blocked_ms: change.blockedForMs,
});

/**
 * Stores changes of endpoints. A change is dropped if a newer version of the configuration is stored, because the change belongs to an
 * older one. It is also dropped if the shard was taken again since.
 */
const CHANGE_ENDPOINTS = `
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
