import { type DynamicModule, Global, Module } from '@nestjs/common';
import { INTERNAL_API_OPTIONS, type InternalApiOptions, type InternalApiSettings } from './internal-api.options';
import { ServiceTokenGuard } from './service-token.guard';

/** For apps that the other apps call: provides {@link ServiceTokenGuard} everywhere in the app. */
@Global()
@Module({})
export class InternalApiModule {
  /** @param settings the app's config @param audience the app's name */
  static register(settings: InternalApiSettings, audience: string): DynamicModule {
    const options: InternalApiOptions = { audience, secrets: settings.INTERNAL_TOKEN_SECRETS };
    return {
      module: InternalApiModule,
      providers: [{ provide: INTERNAL_API_OPTIONS, useValue: options }, ServiceTokenGuard],
      exports: [INTERNAL_API_OPTIONS, ServiceTokenGuard],
    };
  }
}
