import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { PromotionController } from './promotion.controller';
import { PromotionRepository } from './promotion.repository';
import { PromotionService } from './promotion.service';

@Module({
  imports: [AdminModule, PartnerModule],
  controllers: [PromotionController],
  providers: [PromotionService, PromotionRepository],
  exports: [PromotionRepository],
})
export class PromotionModule {}
