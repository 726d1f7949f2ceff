import { Module } from '@nestjs/common';
import { JwtVerifier } from '@tandem/auth';
import { RateLimitModule } from '@tandem/service-defaults';
import { IdpApiConfig } from '../config';
import { ClientAuthenticator } from './client.authenticator';
import { policiesOf } from './client-limits.rules';
import { VerifiedTokens } from './verified-tokens';

@Module({
  imports: [RateLimitModule.register({ config: IdpApiConfig, policiesOf })],
  providers: [
    ClientAuthenticator,
    VerifiedTokens,
    {
      provide: JwtVerifier,
      inject: [IdpApiConfig],
      useFactory: ({ JWT_AUDIENCE, jwtIssuers }: IdpApiConfig) =>
        new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }),
    },
  ],
})
export class ClientAuthenticationModule {}
