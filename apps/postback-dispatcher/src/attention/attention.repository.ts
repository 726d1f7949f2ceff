import { Injectable } from '@nestjs/common';
import {
  ATTENTION_SHOWN,
  DisabledEndpoint,
  EndpointOwner,
  FailedPostbacksOfEndpoint,
  FailingEndpoint,
  HeldPostbacksOfEndpoint,
  MAX_ATTENTION,
  PausedEndpoint,
} from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { IS_FAILING } from '../delivery/failing.statements';

/** At most this many owners of failing deliveries are read. An owner is a partner in one environment. */
const OWNERS_READ = 1_000;
/** At most this many failed postbacks are read, the newest ones. The same maximum applies to held postbacks. */
const UNSENT_READ = 1_000;
/** Failed, held and failing postbacks that were created more than this many days ago no longer need attention. */
const UNSENT_DAYS = 7;
/** A failing delivery counts only from this age on, so that a delivery usually does not count if its first retry, after about 5 s, succeeds. */
const FAILING_SECONDS = 15;
/** A paused endpoint needs attention when it has been failing for at least this many minutes. Shorter failures usually end without help. */
const PAUSED_MINUTES = 5;
/**
 * A failing endpoint needs no attention if its last pause ended at least this many days ago. Nothing has been sent to the endpoint since
 * then: a failure would have started another pause, and a success would have reset `breaker_level`. The number of days must exceed 24 h, the
 * longest wait of the default retry schedule, because a delivery may wait that long for its next attempt.
 */
const PAUSE_DAYS = 2;

const LIVE_DISABLED = `status = 'disabled' and environment = 'live'`;

const DISABLED = `
  select partner_id as "partnerId", environment, disabled_reason as reason
    from endpoint where ${LIVE_DISABLED} order by greatest(updated_at, failing_since) desc limit ${ATTENTION_SHOWN}`;

const COUNT_DISABLED = `
  select count(*)::int as count from (select from endpoint where ${LIVE_DISABLED} limit ${MAX_ATTENTION}) as counted`;

const LIVE_PAUSED = `status = 'active' and environment = 'live' and breaker_level > 0
  and failing_since <= now() - interval '${PAUSED_MINUTES} minutes'
  and blocked_until > now() - interval '${PAUSE_DAYS} days'`;

const PAUSED = `
  select partner_id as "partnerId", environment, failing_since as "failingSince"
    from endpoint where ${LIVE_PAUSED} order by failing_since limit ${MAX_ATTENTION}`;

/**
 * Counts, by partner, the newest failed or held postbacks of the environment `live`, except those of closed sales. Reads the postbacks in
 * the order of the index `delivery_unsent`, so that no partition is read as a whole.
 */
const UNSENT = `
  select partner_id as "partnerId", environment, least(count(*), ${MAX_ATTENTION})::int as count
    from (select partner_id, environment from delivery
           where status = $1 and created_at > now() - interval '${UNSENT_DAYS} days'
             and environment = 'live' and kind = 'sale' and closed_by is null
           order by created_at desc limit ${UNSENT_READ}) newest
   group by partner_id, environment order by count(*) desc, partner_id limit ${MAX_ATTENTION}`;

/** Adds the current state of the endpoint to the counts of the held postbacks. */
const HELD = `
  select held.*, coalesce(e.status, 'missing') as endpoint
    from (${UNSENT}) held
    left join endpoint e on e.partner_id = held."partnerId" and e.environment = held.environment
   order by held.count desc, held."partnerId"`;

const RECENT_FAILING = `${IS_FAILING} and d.created_at > now() - interval '${UNSENT_DAYS} days'`;

/**
 * Finds the endpoints of the environment `live` with the status `active` whose latest deliveries fail. An endpoint's latest deliveries fail if
 * the endpoint has had no success since a pause, or if its newest failing delivery is newer than its newest delivered one. The expression
 * `owner` steps through the index `delivery_failing` from one owner to the next, and every `order by` is the order of an index. The cost
 * therefore depends neither on the number of endpoints nor on the size of their backlogs.
 */
const FAILING = `
  with recursive owner (partner_id, environment, number) as (
    (select d.partner_id, d.environment, 1 from delivery d where ${RECENT_FAILING}
      order by d.partner_id, d.environment limit 1)
    union all
    select next.partner_id, next.environment, o.number + 1 from owner o
      cross join lateral (
        select d.partner_id, d.environment from delivery d
         where ${RECENT_FAILING} and (d.partner_id, d.environment) > (o.partner_id, o.environment)
         order by d.partner_id, d.environment limit 1) next
     where o.number < ${OWNERS_READ})
  select o.partner_id as "partnerId", o.environment, failing.count as failing, pending.count as pending
    from owner o
    join endpoint e on e.partner_id = o.partner_id and e.environment = o.environment
    cross join lateral (
      select count(*)::int as count, max(created_at) as newest from (
        select d.created_at from delivery d
         where d.partner_id = o.partner_id and d.environment = o.environment and ${RECENT_FAILING}
           and d.created_at < now() - interval '${FAILING_SECONDS} seconds'
         order by d.created_at desc limit ${MAX_ATTENTION}) counted) failing
    cross join lateral (
      select count(*)::int as count from (
        select from delivery d where d.endpoint_id = e.id and d.status = 'pending'
         order by d.next_attempt_at limit ${MAX_ATTENTION}) counted) pending
   where o.environment = 'live' and e.status = 'active' and failing.count > 0
     and (e.breaker_level > 0 or not exists (
       select from delivery d
        where d.partner_id = o.partner_id and d.environment = o.environment and d.status = 'delivered'
          and d.created_at >= failing.newest))
   order by failing.count desc, o.partner_id limit ${MAX_ATTENTION}`;

/** Reads what needs attention in the environment `live`: disabled, paused and failing endpoints, and failed and held postbacks. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly dataSource: DataSource) {}

  findDisabled(): Promise<DisabledEndpoint[]> {
    return this.dataSource.query<DisabledEndpoint[]>(DISABLED);
  }

  async countDisabled(): Promise<number> {
    const [row] = await this.dataSource.query<[{ count: number }]>(COUNT_DISABLED);
    return row.count;
  }

  /** Finds at most MAX_ATTENTION paused endpoints. The endpoint that has been failing for the longest time comes first. */
  async findPaused(): Promise<PausedEndpoint[]> {
    const rows = await this.dataSource.query<(EndpointOwner & { failingSince: Date })[]>(PAUSED);
    return rows.map((row) => ({ ...row, failingSince: row.failingSince.toISOString() }));
  }

  /** Finds at most MAX_ATTENTION endpoints whose latest deliveries fail, the one with the most failing deliveries first. */
  findFailing(): Promise<FailingEndpoint[]> {
    return this.dataSource.query<FailingEndpoint[]>(FAILING);
  }

  /** Counts the newest failed postbacks by partner, for at most MAX_ATTENTION partners. The caller adds up these counts for the total. */
  countFailed(): Promise<FailedPostbacksOfEndpoint[]> {
    return this.dataSource.query<FailedPostbacksOfEndpoint[]>(UNSENT, ['failed']);
  }

  /** Counts the newest held postbacks by partner, for at most MAX_ATTENTION partners, and reads the state of the partners' endpoints. */
  countHeld(): Promise<HeldPostbacksOfEndpoint[]> {
    return this.dataSource.query<HeldPostbacksOfEndpoint[]>(HELD, ['held']);
  }
}
