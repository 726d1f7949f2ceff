import { Module } from '@nestjs/common';
import { VoucherGroupController } from './voucher-group.controller';
import { VoucherGroupRepository } from './voucher-group.repository';
import { VoucherGroupService } from './voucher-group.service';

@Module({
  controllers: [VoucherGroupController],
  providers: [VoucherGroupService, VoucherGroupRepository],
  exports: [VoucherGroupRepository],
})
export class VoucherGroupModule {}
