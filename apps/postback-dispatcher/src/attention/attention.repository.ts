import { Injectable } from '@nestjs/common';
import { ATTENTION_SHOWN, DisabledEndpoint, EndpointOwner, MAX_ATTENTION, PausedEndpoint } from '@tandem/internal-api';
import { DataSource } from 'typeorm';

/** At most this many failed postbacks, and at most as many held ones, are read: the newest. */
const UNSENT_READ = 1_000;
/** Failed and held postbacks that were created more than this many days ago no longer need attention. */
const UNSENT_DAYS = 7;
/** A paused endpoint needs attention when it has been failing for at least this many minutes. Shorter failures usually end without help. */
const PAUSED_MINUTES = 5;
/**
 * A failing endpoint whose last pause ended at least this many days ago needs no attention: nothing has been sent to the endpoint since, so
 * no success could reset its `breaker_level`. This time is longer than 24 h, the longest wait of the default retry schedule.
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

/** Reads what needs attention in the environment `live`: disabled and paused endpoints, and failed and held postbacks. */
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

  /**
   * Counts the newest failed or held postbacks by partner, for at most MAX_ATTENTION partners. The caller adds up these counts for the
   * total.
   */
  countUnsent(status: 'failed' | 'held'): Promise<(EndpointOwner & { count: number })[]> {
    return this.dataSource.query<(EndpointOwner & { count: number })[]>(UNSENT, [status]);
  }
}
