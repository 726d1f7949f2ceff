import { Module } from '@nestjs/common';
import { VoucherServiceConfig } from '../config';
import { StatisticsModule } from '../statistics/statistics.module';
import { VoucherGroupModule } from '../voucher-group/voucher-group.module';
import { BatchRepository } from './batch.repository';
import { CouponCodes } from './coupon-code';
import { CouponHashes } from './coupon-hashes';
import { CouponCreationService } from './coupon-creation.service';
import { CouponCursors } from './coupon-cursor';
import { CouponConsumer } from './coupon.consumer';
import { CouponController } from './coupon.controller';
import { CouponRepository } from './coupon.repository';
import { CouponService } from './coupon.service';
import { RedemptionService } from './redemption.service';

@Module({
  imports: [StatisticsModule, VoucherGroupModule],
  controllers: [CouponController, CouponConsumer],
  providers: [
    CouponService,
    CouponCreationService,
    RedemptionService,
    CouponRepository,
    BatchRepository,
    CouponCodes,
    CouponHashes,
    {
      provide: CouponCursors,
      inject: [VoucherServiceConfig],
      useFactory: (config: VoucherServiceConfig) => new CouponCursors(config.CURSOR_SIGNING_KEYS),
    },
  ],
})
export class CouponModule {}
