import { Module } from '@nestjs/common';
import { RateLimitModule } from '@tandem/rate-limit';
import { PartnerGatewayConfig } from '../config';
import { policiesOf } from './rate-limit.rules';

/** Provides the rate limits of tokens and of applicants. Both use one store. */
@Module({
  imports: [RateLimitModule.register({ config: PartnerGatewayConfig, policiesOf })],
  exports: [RateLimitModule],
})
export class GatewayLimitsModule {}
