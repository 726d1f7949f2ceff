import { Logger, Module } from '@nestjs/common';
import { AccessTokens, JwtVerifier } from '@tandem/auth';
import { IdpSupportConfig } from '../config';
import { SupportAuthenticator } from './support.authenticator';

const logger = new Logger('support-authentication');

/** One verifier, and so one set of keys, for access tokens and receipts. */
@Module({
  providers: [
    SupportAuthenticator,
    {
      provide: JwtVerifier,
      inject: [IdpSupportConfig],
      useFactory: ({ JWT_AUDIENCE, jwtIssuers }: IdpSupportConfig) =>
        new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }),
    },
    {
      provide: AccessTokens,
      inject: [JwtVerifier],
      useFactory: (verifier: JwtVerifier) =>
        new AccessTokens(verifier, {
          onRefused: (reason) => logger.log({ msg: 'a support token was refused', reason }),
        }),
    },
  ],
  exports: [JwtVerifier],
})
export class SupportAuthenticationModule {}
