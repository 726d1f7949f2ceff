import { Module } from '@nestjs/common';
import { AccessTokensModule, CLIENT_ACCESS_OPTIONS, ClientAuthenticator, isKrn } from '@tandem/http-api';
import { RateLimitModule, RateLimits } from '@tandem/rate-limit';
import type { FastifyReply } from 'fastify';
import { IdpApiConfig } from '../config';
import { policiesOf } from './client-limits.rules';

@Module({
  imports: [
    AccessTokensModule.register({ config: IdpApiConfig, isSubject: isKrn }),
    RateLimitModule.register({ config: IdpApiConfig, policiesOf }),
  ],
  providers: [
    ClientAuthenticator,
    {
      provide: CLIENT_ACCESS_OPTIONS,
      inject: [IdpApiConfig, RateLimits],
      useFactory: ({ SECOND_FACTOR_MAX_AGE_SECONDS: secondFactorSeconds }: IdpApiConfig, limits: RateLimits) => ({
        secondFactorSeconds,
        admit: (caller: string, limit: string, reply: FastifyReply) => limits.admit(caller, limit, reply),
      }),
    },
  ],
})
export class ClientAuthenticationModule {}
