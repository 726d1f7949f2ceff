import { Module } from '@nestjs/common';
import { RateLimitModule } from '@tandem/rate-limit';
import { PartnerGatewayConfig } from '../config';
import { policiesOf } from './rate-limit.rules';

/** The rate limits of all callers, tokens and applicants, in one store. */
@Module({
  imports: [RateLimitModule.register({ config: PartnerGatewayConfig, policiesOf })],
  exports: [RateLimitModule],
})
export class GatewayLimitsModule {}
