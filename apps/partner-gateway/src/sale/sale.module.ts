import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { CheckoutModule } from '../checkout/checkout.module';
import { PartnerModule } from '../partner/partner.module';
import { PromotionModule } from '../promotion/promotion.module';
import { SaleConsumer } from './sale.consumer';
import { SaleController } from './sale.controller';
import { SaleRepository } from './sale.repository';
import { SaleRetention } from './sale-retention';
import { SaleReviewController } from './sale-review.controller';
import { SaleReviewService } from './sale-review.service';
import { SaleRevokeService } from './sale-revoke.service';
import { SaleService } from './sale.service';

@Module({
  imports: [AdminModule, CheckoutModule, PartnerModule, PromotionModule],
  controllers: [SaleController, SaleReviewController, SaleConsumer],
  providers: [SaleService, SaleRevokeService, SaleReviewService, SaleRepository, SaleRetention],
  exports: [SaleRepository],
})
export class SaleModule {}
