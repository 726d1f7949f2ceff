import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { RateLimitRepository } from './rate-limit.repository';
import type { RateLimitPolicy } from './rate-limit.rules';
import { RATE_LIMIT_POLICIES, RateLimits } from './rate-limits';

/** Where the policies come from: `policiesOf` creates them from the config that Nest provides for the token `config`. */
export interface RateLimitOptions<C> {
  readonly config: InjectionToken<C>;
  readonly policiesOf: (config: C) => Readonly<Record<string, RateLimitPolicy>>;
}

/**
 * Rate limits that all replicas of an app share: provides {@link RateLimits}. Needs the app's DataSource (DatabaseModule), with
 * RATE_LIMIT_MIGRATIONS run in its schema.
 *
 *     RateLimitModule.register({ config: PartnerGatewayConfig, policiesOf })
 */
@Module({})
export class RateLimitModule {
  static register<C>({ config, policiesOf }: RateLimitOptions<C>): DynamicModule {
    return {
      module: RateLimitModule,
      providers: [
        { provide: RATE_LIMIT_POLICIES, inject: [config], useFactory: policiesOf },
        RateLimits,
        RateLimitRepository,
      ],
      exports: [RateLimits],
    };
  }
}
