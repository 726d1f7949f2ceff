import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { RelayModule } from '../relay/relay.module';
import { VoucherModule } from '../voucher/voucher.module';
import { CountingApps } from './counting-apps';
import { ManagedStatisticsController } from './managed-statistics.controller';
import { StatisticsController } from './statistics.controller';
import { StatisticsRepository } from './statistics.repository';
import { StatisticsService } from './statistics.service';

@Module({
  imports: [AdminModule, PartnerModule, RelayModule, VoucherModule],
  controllers: [StatisticsController, ManagedStatisticsController],
  providers: [StatisticsService, StatisticsRepository, CountingApps],
})
export class StatisticsModule {}
