import { Logger, Module } from '@nestjs/common';
import { AccessTokens, JwtVerifier } from '@tandem/auth';
import { isKrn } from '@tandem/http-api';
import { RateLimitModule } from '@tandem/rate-limit';
import { IdpApiConfig } from '../config';
import { ClientAuthenticator } from './client.authenticator';
import { policiesOf } from './client-limits.rules';

const logger = new Logger('client-authentication');

@Module({
  imports: [RateLimitModule.register({ config: IdpApiConfig, policiesOf })],
  providers: [
    ClientAuthenticator,
    {
      provide: AccessTokens,
      inject: [IdpApiConfig],
      useFactory: ({ JWT_AUDIENCE, jwtIssuers }: IdpApiConfig) =>
        new AccessTokens(new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }), {
          isSubject: isKrn,
          onRefused: (reason) => logger.log({ msg: 'an access token was refused', reason }),
        }),
    },
  ],
})
export class ClientAuthenticationModule {}
