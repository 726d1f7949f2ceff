import { Module } from '@nestjs/common';
import { AccessTokensModule } from '@tandem/http-api';
import { IdpSupportConfig } from '../config';
import { SupportAuthenticator } from './support.authenticator';

/** Provides one verifier, and so one set of keys, for access tokens and receipts. */
@Module({
  imports: [AccessTokensModule.register({ config: IdpSupportConfig })],
  providers: [SupportAuthenticator],
  exports: [AccessTokensModule],
})
export class SupportAuthenticationModule {}
