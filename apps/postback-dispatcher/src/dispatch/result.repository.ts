import { Injectable } from '@nestjs/common';
import { POSTBACK_DELIVERED, POSTBACK_FAILED, PostbackDelivered, PostbackFailed } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import { type NewEvent, Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { errorTextOf } from './attempt.rules';
import type { AttemptResult, EndpointChange } from './dispatch.types';

/** A clock of ours may differ a little from the database's: partitions are found by these wider bounds. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Stores what came of attempts, many at once. */
@Injectable()
export class ResultRepository {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Marks deliveries, logs attempts, changes endpoints and adds the events, in one transaction.
   *
   * A result counts only when its delivery is still where the attempt found it, so that nothing is counted twice when a
   * process was slow, lost its lease, and another one went on.
   * @returns ids of the deliveries whose result counted
   */
  store(
    results: readonly AttemptResult[],
    changes: readonly EndpointChange[],
    replicaId: string,
  ): Promise<Set<string>> {
    // A worker that lost its lease and the one that came after it may both have tried a delivery: the first result counts.
    const firsts = new Map<string, AttemptResult>();
    for (const result of results) if (!firsts.has(result.delivery.id)) firsts.set(result.delivery.id, result);
    const once = [...firsts.values()];
    return this.outbox.transaction(async (manager) => {
      const stored = await this.markAndLog(manager, once);
      if (changes.length > 0) await this.changeEndpoints(manager, changes, replicaId);
      const counted = once.filter(({ delivery }) => stored.has(delivery.id));
      await this.addEvents(manager, counted, new Date().toISOString());
      return stored;
    });
  }

  private async markAndLog(manager: EntityManager, results: readonly AttemptResult[]): Promise<Set<string>> {
    const createdAt = results.map(({ delivery }) => delivery.createdAt);
    const rows = await queryPrepared<{ id: string }>(runnerOf(manager), 'result-store', MARK_AND_LOG, [
      results.map(({ delivery }) => delivery.id),
      // One text for a whole batch: arrays of many texts cost this process several times as much to write.
      JSON.stringify(results.map(resultRow)),
      new Date(Math.min(...createdAt) - CLOCK_TOLERANCE_MS),
      new Date(Math.max(...createdAt) + CLOCK_TOLERANCE_MS),
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Rows are locked in one order, whoever else writes them. */
  private async changeEndpoints(
    manager: EntityManager,
    changes: readonly EndpointChange[],
    replicaId: string,
  ): Promise<void> {
    const last = [...new Map(changes.map((change) => [change.lease.endpointId, change])).values()];
    last.sort((one, other) => (one.lease.endpointId < other.lease.endpointId ? -1 : 1));
    for (const change of last) {
      const { endpointId, epoch } = change.lease;
      await manager.query(CHANGE_ENDPOINT, [
        endpointId,
        change.configVersion,
        change.consecutiveExhausted,
        change.disabledReason,
      ]);
      await manager.query(CHANGE_SCHEDULE, [
        endpointId,
        replicaId,
        epoch,
        change.breakerLevel,
        change.blockedForMs,
        change.configVersion,
      ]);
    }
  }

  private async addEvents(manager: EntityManager, results: readonly AttemptResult[], at: string): Promise<void> {
    const delivered: PostbackDelivered[] = [];
    const failed: PostbackFailed[] = [];
    for (const { delivery, outcome, verdict } of results) {
      const { oid, partnerId, environment, id: deliveryId } = delivery;
      const reference = { oid, partnerId, environment, deliveryId, attempts: delivery.attemptCount + 1 };
      const { status } = outcome;
      if (verdict.status === 'delivered' && status !== null) {
        delivered.push(Object.assign(new PostbackDelivered(), reference, { status, deliveredAt: at }));
      } else if (verdict.status === 'failed') {
        const { reason } = verdict;
        const answered = status === null ? {} : { status };
        failed.push(Object.assign(new PostbackFailed(), reference, answered, { reason, failedAt: at }));
      }
    }
    if (delivered.length > 0) await this.outbox.addMany(manager, POSTBACK_DELIVERED, delivered.map(asNew));
    if (failed.length > 0) await this.outbox.addMany(manager, POSTBACK_FAILED, failed.map(asNew));
  }
}

const asNew = <T extends object>(data: T): NewEvent<T> => ({ data });

/** A result as the statement reads it. */
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

const MARK_AND_LOG = `
  with result as (
    select * from json_to_recordset($2::json) as r (id uuid, attempts_before integer, outcome text, next_in_ms float8, reason text,
      at float8, http_status smallint, latency_ms integer, error text, response text)),
  marked as (
    update delivery d set status = r.outcome, failure_reason = r.reason, attempt_count = r.attempts_before + 1,
      next_attempt_at = clock_timestamp() + r.next_in_ms * interval '1 millisecond',
      delivered_at = case when r.outcome = 'delivered' then clock_timestamp() end
    from result r
    where d.id = r.id and d.id = any ($1) and d.created_at between $3 and $4
      and d.status = 'pending' and d.attempt_count = r.attempts_before
    returning d.id),
  logged as (
    insert into attempt (delivery_id, number, at, status, latency_ms, error, response)
    select r.id, r.attempts_before + 1, to_timestamp(r.at / 1000), r.http_status, r.latency_ms, r.error, r.response
    from result r join marked using (id))
  select id from marked`;

/** A configuration that was saved since is another one: what the old one did tells nothing of it. */
const CHANGE_ENDPOINT = `
  update endpoint set consecutive_exhausted = $3,
    status = case when $4::text is null then status else 'disabled' end,
    disabled_reason = coalesce(disabled_reason, $4)
  where id = $1 and config_version = $2`;

const CHANGE_SCHEDULE = `
  update endpoint_schedule s set breaker_level = $4,
    blocked_until = case when $5::float8 > 0 then clock_timestamp() + $5 * interval '1 millisecond' end
  from endpoint e
  where e.id = s.endpoint_id and s.endpoint_id = $1 and s.lease_owner = $2 and s.lease_epoch = $3
    and e.config_version = $6`;
