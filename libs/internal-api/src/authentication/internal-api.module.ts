import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { CalledApp } from '../config/callers';
import type { CalledSettings } from '../config/service-keys-config';
import { INTERNAL_API_OPTIONS, type InternalApiOptions } from './internal-api-options';
import { ServiceTokenAuthenticator } from './service-token.authenticator';

/** Provides {@link ServiceTokenAuthenticator} everywhere in an app that other apps call. */
@Global()
@Module({})
export class InternalApiModule {
  /**
   * @param settings the app's config
   * @param app the app's row in the table of apps
   */
  static register(settings: CalledSettings, app: CalledApp): DynamicModule {
    const { SERVICE_PUBLIC_KEYS: publicKeys, INTERNAL_TOKEN_SECRETS: secrets } = settings;
    const options: InternalApiOptions = { app, publicKeys, secrets };
    return {
      module: InternalApiModule,
      providers: [{ provide: INTERNAL_API_OPTIONS, useValue: options }, ServiceTokenAuthenticator],
      exports: [INTERNAL_API_OPTIONS, ServiceTokenAuthenticator],
    };
  }
}
