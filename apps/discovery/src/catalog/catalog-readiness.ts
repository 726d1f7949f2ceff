import { Injectable } from '@nestjs/common';
import { type HealthReport, ReadinessCheck } from '@tandem/service-defaults';
import { CatalogService } from './catalog.service';

/** The app is ready as soon as a catalog is loaded. It then stays ready until it stops, even while the database is down. */
@Injectable()
export class CatalogReadiness extends ReadinessCheck {
  readonly name = 'catalog';

  constructor(private readonly catalog: CatalogService) {
    super();
  }

  async ready(): Promise<HealthReport> {
    return this.catalog.isLoaded ? { ok: true } : { ok: false, detail: 'nothing was loaded yet' };
  }

  async close(): Promise<void> {
    // There is nothing to release.
  }
}
