import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ServiceTokenGuard } from '@tandem/internal-api';

/** How an app lets the other apps of the platform in. */
export interface InternalApiOptions {
  /** The app's name: a service token is good for one app only. */
  readonly audience: string;
  /** At least one, of 32 bytes or more; a token may be signed by any of them. */
  readonly secrets: readonly string[];
}

export const INTERNAL_API_OPTIONS = Symbol('INTERNAL_API_OPTIONS');

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
