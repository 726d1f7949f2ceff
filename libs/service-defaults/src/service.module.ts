import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuthenticationHooks } from '@tandem/http-api';
import { BaseConfig } from './config/base-config';
import { DatabaseCheck } from './health/database-check';
import { type HealthCheck, HealthChecks, ReadinessCheck } from './health/health';
import { HealthController } from './health/health.controller';
import { MetricsController } from './metrics/metrics.controller';

/**
 * The common parts of every app: its config (injected by class), `/livez`, `/readyz`, `/metrics`, and the hooks that authenticate
 * requests. ServiceModule is the first import of an AppModule.
 */
@Global()
@Module({})
export class ServiceModule {
  /** @param config the app's validated config; provided under its own class and as BaseConfig */
  static register(config: BaseConfig): DynamicModule {
    const providers: Provider[] = [
      { provide: BaseConfig, useValue: config },
      { provide: config.constructor, useValue: config },
      AuthenticationHooks,
      {
        provide: HealthChecks,
        inject: [
          { token: ReadinessCheck, optional: true },
          { token: getDataSourceToken(), optional: true },
        ],
        useFactory: (own?: ReadinessCheck, dataSource?: DataSource) => new HealthChecks(checksOf(own, dataSource)),
      },
    ];
    return {
      module: ServiceModule,
      controllers: [HealthController, MetricsController],
      providers,
      exports: [BaseConfig, config.constructor as never, HealthChecks],
    };
  }
}

function checksOf(own?: ReadinessCheck, dataSource?: DataSource): HealthCheck[] {
  if (own) return [own];
  return dataSource ? [new DatabaseCheck((dataSource.options as { url: string }).url)] : [];
}
