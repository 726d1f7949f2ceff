import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { PostbackModule } from '../postback/postback.module';
import { SaleModule } from '../sale/sale.module';
import { SaleStoryController } from './sale-story.controller';
import { SaleStoryService } from './sale-story.service';

@Module({
  imports: [AdminModule, PartnerModule, PostbackModule, SaleModule],
  controllers: [SaleStoryController],
  providers: [SaleStoryService],
})
export class SaleStoryModule {}
