import { Injectable } from '@nestjs/common';
import { POSTBACK_DELIVERED, POSTBACK_FAILED } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import { type EventOfRow, eventOfRow, type Insertion, Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { CLOCK_TOLERANCE_MS } from '../delivery/partition.rules';
import { errorTextOf } from '../attempt/attempt.rules';
import type { AttemptResult, EndpointChange } from './dispatch-types';
import { CHANGE_ENDPOINTS, FIND_OPEN, MARK, MARK_UNLOCKED } from './result.statements';
import { SendingDatabase } from './sending-database';

/** A result, with the endpoint's new state if the attempt changed it. */
export interface ResultToStore extends AttemptResult {
  readonly change: EndpointChange | null;
}

/**
 * Stores the results of attempts in batches.
 *
 * The transactions that change deliveries lock rows in this order: `sale_delivery`, deliveries, statistics, then endpoints by id. There are
 * two exceptions: `storeUnlocked` and `DueRepository.holdPending` lock endpoints first. If a row is locked already:
 *
 * - `storeUnlocked`, `holdPending`, the replay of a range and the expiry of deliveries skip a locked delivery.
 * - `store` waits 250 ms for a locked row. Then `storeUnlocked` stores the results for the rows that are not locked.
 * - The closing of a sale and the replay of a single delivery wait for a locked delivery. If two such transactions deadlock, Postgres aborts
 *   one of them: a closing is retried, and a replay is answered with 503.
 *
 * Only ShardRepository locks shards. Besides shards, it locks only rows of `replica`.
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
   * These results count (`TAKES_RESULT` in `result.statements` is the exact condition):
   *
   * - A failure, if the `attempt_count` of its delivery has not changed since the worker read the delivery. If a slow process loses its
   *   shard and another process sends the delivery too, the retry schedule therefore advances only once.
   * - A result with which the endpoint accepted the delivery, even if another process has stored failures in the meantime. Without this
   *   rule, a refund could stop a delivery that the endpoint has already accepted. The result does not count after a replay has restarted
   *   the retries.
   *
   * No result of a held delivery counts. If the sale was closed during the attempt, the delivery is already `failed`, and stays `failed`
   * unless the endpoint accepted the postback.
   * @returns the ids of the deliveries whose result counted, except those that stay `failed` because their sale was closed
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
        unmarked.map(({ verdict }) => verdict.status),
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
    // after this process took the shard back. Only one of these results counts: the first one with which the endpoint accepted the delivery
    // or, if there is none, the first one.
    const accepted = results.filter(({ verdict }) => verdict.status === 'delivered');
    const firsts = new Map<string, AttemptResult>();
    for (const result of [...accepted, ...results])
      if (!firsts.has(result.delivery.id)) firsts.set(result.delivery.id, result);
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
    // A batch may contain changes of one endpoint by a worker that lost its shard and by the worker that was created after this process took
    // the shard back. The statement drops changes with an old epoch, so only the last change with the highest epoch is passed on.
    const last = new Map<string, EndpointChange>();
    for (const change of changes) {
      const before = last.get(change.endpointId);
      if (before === undefined || BigInt(change.shardEpoch) >= BigInt(before.shardEpoch))
        last.set(change.endpointId, change);
    }
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
 * closure notices. `attempts` is the number of attempts that the sending process knows: attempts of the shard's next owner are not counted.
 */
function eventOf({ delivery, outcome, verdict }: AttemptResult, at: string): EventOfRow | null {
  const { oid, partnerId, environment, id: deliveryId } = delivery;
  const reference = { oid, partnerId, environment, deliveryId, attempts: delivery.attemptCount + 1 };
  const trace = { traceparent: delivery.traceparent ?? undefined };
  // A closure notice publishes no event: consumers learn of the refund or chargeback from sale.closed.
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
