import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { AccountModule } from './account/account.module';
import { PartnerApplication } from './application/application.entity';
import { ApplicationModule } from './application/application.module';
import { AttentionModule } from './attention/attention.module';
import { AuditEntry } from './audit/audit.entity';
import { AuditModule } from './audit/audit.module';
import { CheckoutModule } from './checkout/checkout.module';
import type { PartnerGatewayConfig } from './config';
import { ManagedPostbackModule } from './managed-postback/managed-postback.module';
import { ManagedSaleModule } from './managed-sale/managed-sale.module';
import { PartnerSaleModule } from './partner-sale/partner-sale.module';
import { Partner } from './partner/partner.entity';
import { PartnerModule } from './partner/partner.module';
import { PortalLink } from './portal-link/portal-link.entity';
import { PortalLinkModule } from './portal-link/portal-link.module';
import { PostbackModule } from './postback/postback.module';
import { Promotion } from './promotion/promotion.entity';
import { PromotionModule } from './promotion/promotion.module';
import { Sale } from './sale/sale.entity';
import { SaleStoryModule } from './sale-story/sale-story.module';
import { SaleModule } from './sale/sale.module';
import { StatisticsModule } from './statistics/statistics.module';
import { PartnerToken } from './token/token.entity';
import { TokenModule } from './token/token.module';
import { VoucherModule } from './voucher/voucher.module';

@Module({})
export class AppModule {
  static register(config: PartnerGatewayConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, {
          applicationName: 'partner-gateway',
          entities: [Partner, PartnerApplication, PartnerToken, PortalLink, Promotion, Sale, AuditEntry],
        }),
        EventsModule.register(config, { app: 'partner-gateway' }),
        CheckoutModule,
        SaleModule,
        ManagedSaleModule,
        SaleStoryModule,
        PartnerSaleModule,
        StatisticsModule,
        PostbackModule,
        VoucherModule,
        PartnerModule,
        AccountModule,
        ManagedPostbackModule,
        TokenModule,
        PortalLinkModule,
        PromotionModule,
        ApplicationModule,
        AttentionModule,
        AuditModule,
      ],
    };
  }
}
