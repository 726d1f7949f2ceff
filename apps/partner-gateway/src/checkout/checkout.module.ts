import { Module } from '@nestjs/common';
import { CheckoutTokens } from '@tandem/auth';
import { PartnerGatewayConfig } from '../config';
import { CheckoutController } from './checkout.controller';
import { CheckoutService } from './checkout.service';

@Module({
  controllers: [CheckoutController],
  providers: [
    CheckoutService,
    {
      provide: CheckoutTokens,
      useFactory: (config: PartnerGatewayConfig) => config.CHECKOUT_SIGNING_KEYS,
      inject: [PartnerGatewayConfig],
    },
  ],
  exports: [CheckoutTokens],
})
export class CheckoutModule {}
