import { Module } from '@nestjs/common';
import { JwtVerifier } from '@tandem/auth';
import { IdpSupportConfig } from '../config';
import { SupportAuthenticator } from './support.authenticator';

@Module({
  providers: [
    SupportAuthenticator,
    {
      provide: JwtVerifier,
      inject: [IdpSupportConfig],
      useFactory: ({ JWT_AUDIENCE, jwtIssuers }: IdpSupportConfig) =>
        new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }),
    },
  ],
  exports: [JwtVerifier],
})
export class SupportAuthenticationModule {}
