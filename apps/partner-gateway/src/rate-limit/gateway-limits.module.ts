import { Module } from '@nestjs/common';
import { RateLimitModule } from '@tandem/rate-limit';
import { PartnerGatewayConfig } from '../config';
import { policiesOf } from './rate-limit.rules';

/** The limits of all callers: one count, of tokens and of applicants. */
@Module({
  imports: [RateLimitModule.register({ config: PartnerGatewayConfig, policiesOf })],
  exports: [RateLimitModule],
})
export class GatewayLimitsModule {}
