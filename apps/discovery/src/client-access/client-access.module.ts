import { Module } from '@nestjs/common';
import { AccessTokensModule, ClientAuthenticator, isKrn } from '@tandem/http-api';
import { DiscoveryConfig } from '../config';

@Module({
  imports: [AccessTokensModule.register({ config: DiscoveryConfig, isSubject: isKrn })],
  providers: [ClientAuthenticator],
})
export class ClientAccessModule {}
