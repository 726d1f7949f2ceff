import { Logger, Module } from '@nestjs/common';
import { AccessTokens, JwtVerifier } from '@tandem/auth';
import { isKrn } from '@tandem/http-api';
import { DiscoveryConfig } from '../config';
import { ClientAuthenticator } from './client.authenticator';

const logger = new Logger('client-access');

@Module({
  providers: [
    ClientAuthenticator,
    {
      provide: AccessTokens,
      inject: [DiscoveryConfig],
      useFactory: ({ JWT_AUDIENCE, jwtIssuers }: DiscoveryConfig) =>
        new AccessTokens(new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }), {
          isSubject: isKrn,
          onRefused: (reason) => logger.log({ msg: 'an access token was refused', reason }),
        }),
    },
  ],
})
export class ClientAccessModule {}
