import { type DynamicModule, Global, Module } from '@nestjs/common';
import { INTERNAL_API_OPTIONS, type InternalApiOptions } from './internal-api.options';
import { ServiceTokenGuard } from './service-token.guard';

/** For apps that the other apps call: makes {@link ServiceTokenGuard} known everywhere in the app. */
@Global()
@Module({})
export class InternalApiModule {
  static register(options: InternalApiOptions): DynamicModule {
    return {
      module: InternalApiModule,
      providers: [{ provide: INTERNAL_API_OPTIONS, useValue: options }, ServiceTokenGuard],
      exports: [INTERNAL_API_OPTIONS, ServiceTokenGuard],
    };
  }
}
