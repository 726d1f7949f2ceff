import { Module } from '@nestjs/common';
import { JwtVerifier } from '@tandem/auth';
import { IdpApiConfig } from '../config';
import { ClientAuthenticationHook } from './client-authentication.hook';
import { ProcessRateLimits, RateLimits } from './rate-limits';

@Module({
  providers: [
    ClientAuthenticationHook,
    { provide: RateLimits, useClass: ProcessRateLimits },
    {
      provide: JwtVerifier,
      inject: [IdpApiConfig],
      useFactory: (config: IdpApiConfig) =>
        new JwtVerifier({
          audience: config.JWT_AUDIENCE,
          issuers: [
            { family: 'service', issuer: config.JWT_SERVICE_ISSUER, jwksUrl: config.JWT_SERVICE_JWKS_URL },
            { family: 'openid', issuer: config.JWT_OPENID_ISSUER, jwksUrl: config.JWT_OPENID_JWKS_URL },
          ],
        }),
    },
  ],
})
export class ClientAuthenticationModule {}
