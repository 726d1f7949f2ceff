import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { AuditController } from './audit.controller';
import { AuditListService } from './audit-list.service';

/** The list of the audit trail. Features record their entries with `AuditService`, which AdminModule provides. */
@Module({
  imports: [AdminModule, PartnerModule],
  controllers: [AuditController],
  providers: [AuditListService],
})
export class AuditModule {}
