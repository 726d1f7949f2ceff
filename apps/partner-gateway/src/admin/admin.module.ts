import { Logger, Module } from '@nestjs/common';
import { AccessTokens, JwtVerifier } from '@tandem/auth';
import { AuditController } from '../audit/audit.controller';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { Pages } from '../paging/pages';
import { ManagerGuard } from './manager.guard';

const logger = new Logger('manager-authentication');

/** What every manager feature needs: authentication, pages of lists, and the audit trail. */
@Module({
  controllers: [AuditController],
  providers: [
    {
      provide: AccessTokens,
      inject: [PartnerGatewayConfig],
      useFactory: ({ JWT_AUDIENCE, jwtIssuers }: PartnerGatewayConfig) =>
        new AccessTokens(new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }), {
          onRefused: (reason) => logger.log({ msg: 'manager token refused', reason }),
        }),
    },
    ManagerGuard,
    Pages,
    AuditService,
  ],
  exports: [ManagerGuard, AccessTokens, Pages, AuditService],
})
export class AdminModule {}
