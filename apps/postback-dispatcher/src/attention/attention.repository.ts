import { Injectable } from '@nestjs/common';
import { DisabledEndpoint, FailedPostbacksOfEndpoint, MAX_ATTENTION } from '@tandem/internal-api';
import { DataSource } from 'typeorm';

/** Only this many of the newest failed deliveries are read: older ones need no attention today. */
const FAILED_READ = 1_000;

const DISABLED = `
  select partner_id as "partnerId", environment, disabled_reason as reason
    from endpoint where status = 'disabled' and environment = 'live' order by updated_at desc limit ${MAX_ATTENTION}`;

/** Reads in the order of the index of undelivered deliveries, so that it never reads a whole partition. */
const FAILED = `
  select partner_id as "partnerId", environment, least(count(*), ${MAX_ATTENTION})::int as count
    from (select partner_id, environment, closed_by from delivery
           where status = 'failed' order by created_at desc limit ${FAILED_READ}) newest
   where closed_by is null and environment = 'live'
   group by partner_id, environment order by count(*) desc, partner_id limit ${MAX_ATTENTION}`;

/** Reads which live endpoints need attention. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly dataSource: DataSource) {}

  findDisabled(): Promise<DisabledEndpoint[]> {
    return this.dataSource.query<DisabledEndpoint[]>(DISABLED);
  }

  findFailed(): Promise<FailedPostbacksOfEndpoint[]> {
    return this.dataSource.query<FailedPostbacksOfEndpoint[]>(FAILED);
  }
}
