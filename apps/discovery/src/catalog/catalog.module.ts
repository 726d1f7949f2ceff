import { Global, Module } from '@nestjs/common';
import { ReadinessCheck } from '@tandem/service-defaults';
import { CatalogReadiness } from './catalog-readiness';
import { CatalogRepository } from './catalog.repository';
import { CatalogService } from './catalog.service';

/** This module is global, because it provides the readiness check of the whole app. */
@Global()
@Module({
  providers: [CatalogRepository, CatalogService, { provide: ReadinessCheck, useClass: CatalogReadiness }],
  exports: [CatalogService, ReadinessCheck],
})
export class CatalogModule {}
