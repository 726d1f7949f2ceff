import { Injectable } from '@nestjs/common';
import { ATTENTION_SHOWN, DisabledEndpoint, FailedPostbacksOfEndpoint, MAX_ATTENTION } from '@tandem/internal-api';
import { DataSource } from 'typeorm';

/** At most this many failed deliveries are counted, the newest ones. */
const FAILED_READ = 1_000;
/** Failed postbacks that were created more than this many days ago no longer need attention. */
const FAILED_DAYS = 7;

const LIVE_DISABLED = `status = 'disabled' and environment = 'live'`;

const DISABLED = `
  select partner_id as "partnerId", environment, disabled_reason as reason
    from endpoint where ${LIVE_DISABLED} order by greatest(updated_at, failing_since) desc limit ${ATTENTION_SHOWN}`;

const COUNT_DISABLED = `
  select count(*)::int as count from (select from endpoint where ${LIVE_DISABLED} limit ${MAX_ATTENTION}) as counted`;

/**
 * Counts failed postbacks by endpoint. It reads them in the order of the index `delivery_unsent`, so that no partition is ever read as a
 * whole.
 */
const FAILED = `
  select partner_id as "partnerId", environment, least(count(*), ${MAX_ATTENTION})::int as count
    from (select partner_id, environment from delivery
           where status = 'failed' and created_at > now() - interval '${FAILED_DAYS} days'
             and environment = 'live' and kind = 'sale' and closed_by is null
           order by created_at desc limit ${FAILED_READ}) newest
   group by partner_id, environment order by count(*) desc, partner_id limit ${MAX_ATTENTION}`;

/** Reads which live endpoints need attention: disabled ones, and those with failed postbacks. */
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

  /** Counts the newest failures by endpoint, for at most MAX_ATTENTION endpoints. The caller adds up these counts for the total. */
  findFailed(): Promise<FailedPostbacksOfEndpoint[]> {
    return this.dataSource.query<FailedPostbacksOfEndpoint[]>(FAILED);
  }
}
