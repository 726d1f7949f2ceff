import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { RelayModule } from '../relay/relay.module';
import { SaleModule } from '../sale/sale.module';
import { SaleStoryController } from './sale-story.controller';
import { SaleStoryService } from './sale-story.service';

@Module({
  imports: [AdminModule, PartnerModule, RelayModule, SaleModule],
  controllers: [SaleStoryController],
  providers: [SaleStoryService],
})
export class SaleStoryModule {}
