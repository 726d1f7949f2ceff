import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { appOf } from '../../apps';
import type { VoucherServiceConfig } from './config';
import { CouponModule } from './coupon/coupon.module';
import { StatisticsModule } from './statistics/statistics.module';
import { VoucherGroup } from './voucher-group/voucher-group.entity';
import { VoucherGroupModule } from './voucher-group/voucher-group.module';

@Module({})
export class AppModule {
  static register(config: VoucherServiceConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, {
          applicationName: 'voucher-service',
          // The frequent statements find rows by key, or read them in the order of one index. For such statements, a plan for
          // given values is no better than a generic plan.
          genericPlans: true,
          entities: [VoucherGroup],
        }),
        InternalApiModule.register(config, appOf('voucher-service')),
        EventsModule.register(config, { app: 'voucher-service' }),
        VoucherGroupModule,
        CouponModule,
        StatisticsModule,
      ],
    };
  }
}
