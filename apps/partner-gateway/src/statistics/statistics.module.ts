import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { ManagedStatisticsController } from './managed-statistics.controller';
import { StatisticsController } from './statistics.controller';
import { StatisticsRepository } from './statistics.repository';
import { StatisticsService } from './statistics.service';

@Module({
  imports: [AdminModule, PartnerModule],
  controllers: [StatisticsController, ManagedStatisticsController],
  providers: [StatisticsService, StatisticsRepository],
})
export class StatisticsModule {}
