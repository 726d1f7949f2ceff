import { Module } from '@nestjs/common';
import { AccessTokensModule } from '@tandem/http-api';
import { IdpSupportConfig } from '../config';
import { SupportAuthenticator } from './support.authenticator';

/** Provides a single verifier for access tokens and receipts, so that both use the same set of keys. */
@Module({
  imports: [AccessTokensModule.register({ config: IdpSupportConfig })],
  providers: [SupportAuthenticator],
  exports: [AccessTokensModule],
})
export class SupportAuthenticationModule {}
