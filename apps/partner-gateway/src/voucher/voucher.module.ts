import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { VoucherClient } from './voucher.client';
import { VoucherController } from './voucher.controller';
import { VoucherGroupController } from './voucher-group.controller';
import { VoucherGroupService } from './voucher-group.service';

@Module({
  imports: [AdminModule, PartnerModule],
  controllers: [VoucherController, VoucherGroupController],
  providers: [VoucherClient, VoucherGroupService],
  exports: [VoucherClient],
})
export class VoucherModule {}
