import { Module } from '@nestjs/common';
import { PartnerGatewayConfig } from '../config';
import { CheckoutTokens } from './checkout-token';
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
