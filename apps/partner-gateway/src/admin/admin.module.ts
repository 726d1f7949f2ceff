import { Module } from '@nestjs/common';
import { AccessTokensModule } from '@tandem/http-api';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { Pages } from '../paging/pages';
import { ManagerAuthenticator } from './manager.authenticator';

/** Provides what the features of the manager API share: authentication, pagination and the audit trail. */
@Module({
  imports: [AccessTokensModule.register({ config: PartnerGatewayConfig })],
  providers: [ManagerAuthenticator, Pages, AuditService],
  exports: [Pages, AuditService],
})
export class AdminModule {}
