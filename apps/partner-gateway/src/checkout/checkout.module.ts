import { Module } from '@nestjs/common';
import { PartnerGatewayConfig } from '../config';
import { TokenModule } from '../token/token.module';
import { CheckoutTokens } from './checkout-token';
import { CheckoutController } from './checkout.controller';
import { CheckoutService } from './checkout.service';

@Module({
  imports: [TokenModule],
  controllers: [CheckoutController],
  providers: [
    CheckoutService,
    {
      provide: CheckoutTokens,
      useFactory: (config: PartnerGatewayConfig) => new CheckoutTokens(config.CHECKOUT_SIGNING_KEYS),
      inject: [PartnerGatewayConfig],
    },
  ],
  exports: [CheckoutTokens],
})
export class CheckoutModule {}
