import { Injectable } from '@nestjs/common';
import type { SavedEndpointLimits } from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { DispatchService } from '../dispatch/dispatch.service';
import { EndpointRepository } from '../endpoint-store/endpoint.repository';

/** Stores the limits that managers set for a partner's endpoints. */
@Injectable()
export class EndpointLimitService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: EndpointRepository,
    private readonly dispatch: DispatchService,
  ) {}

  /**
   * Sets the maximum requests in flight to each endpoint of the partner, including endpoints that are added later. Null restores the
   * platform's default.
   */
  async saveLimits(partnerId: string, concurrency: number | null): Promise<SavedEndpointLimits> {
    const { revision, changed } = await this.dataSource.transaction(async (manager) => ({
      // The limit is saved first. If a concurrent transaction is creating an endpoint, `savePartnerLimit` waits for its commit, so
      // `limitConcurrency` finds this endpoint too.
      revision: await this.endpoints.savePartnerLimit(manager, partnerId, concurrency),
      changed: await this.endpoints.limitConcurrency(manager, partnerId, concurrency),
    }));
    for (const id of changed) this.dispatch.configurationChanged(id);
    return { concurrency, revision };
  }
}
