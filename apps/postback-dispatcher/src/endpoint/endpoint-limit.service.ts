import { Injectable } from '@nestjs/common';
import type { SavedEndpointLimits } from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { DispatchService } from '../dispatch/dispatch.service';
import { EndpointRepository } from './endpoint.repository';

/** Limits that managers set for the endpoints of a partner. */
@Injectable()
export class EndpointLimitService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: EndpointRepository,
    private readonly dispatch: DispatchService,
  ) {}

  /** Sets what each endpoint of the partner may have in flight, future ones included; null: the platform's default. */
  async saveLimits(partnerId: string, concurrency: number | null): Promise<SavedEndpointLimits> {
    const { revision, changed } = await this.dataSource.transaction(async (manager) => ({
      // First the limit, then the endpoints: one that is being created is waited for.
      revision: await this.endpoints.savePartnerLimit(manager, partnerId, concurrency),
      changed: await this.endpoints.limitConcurrency(manager, partnerId, concurrency),
    }));
    for (const id of changed) this.dispatch.configurationChanged(id);
    return { concurrency, revision };
  }
}
