import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuthenticationHooks } from './authentication/authentication.hooks';
import { BaseConfig } from './config/base-config';
import { DatabaseCheck } from './health/database-check';
import { HealthChecks } from './health/health';
import { HealthController } from './health/health.controller';
import { MetricsController } from './metrics/metrics.controller';

/**
 * What every app has: its config by class, `/livez`, `/readyz`, `/metrics`, and the hooks behind AuthenticatedBy. The
 * first import of an AppModule.
 */
@Global()
@Module({})
export class ServiceModule {
  /** @param config the app's validated config; injected by its own class, and as BaseConfig */
  static register(config: BaseConfig): DynamicModule {
    const providers: Provider[] = [
      { provide: BaseConfig, useValue: config },
      { provide: config.constructor, useValue: config },
      AuthenticationHooks,
      {
        provide: HealthChecks,
        inject: [{ token: getDataSourceToken(), optional: true }],
        useFactory: (dataSource?: DataSource) =>
          new HealthChecks(dataSource ? [new DatabaseCheck((dataSource.options as { url: string }).url)] : []),
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
