import { Module } from '@nestjs/common';
import { SupportAuthenticationModule } from '../support-authentication/support-authentication.module';
import { AuditController } from './audit.controller';
import { AuditTrailService } from './audit-trail.service';
import { AuditRepository } from './audit.repository';
import { AuditService } from './audit.service';
import { ErasureService } from './erasure.service';
import { UserAuditController } from './user-audit.controller';

@Module({
  imports: [SupportAuthenticationModule],
  controllers: [AuditController, UserAuditController],
  providers: [AuditService, AuditTrailService, AuditRepository, ErasureService],
  exports: [AuditService, ErasureService],
})
export class AuditModule {}
