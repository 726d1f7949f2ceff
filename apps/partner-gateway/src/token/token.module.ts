import { Module } from '@nestjs/common';
import { RateLimitModule } from '@tandem/rate-limit';
import { AdminModule } from '../admin/admin.module';
import { PartnerGatewayConfig } from '../config';
import { PartnerModule } from '../partner/partner.module';
import { policiesOf } from '../rate-limit/rate-limit.rules';
import { PartnerTokenAuthenticator } from './partner-token.authenticator';
import { TokenController } from './token.controller';
import { TokenRepository } from './token.repository';
import { TokenService } from './token.service';
import { TokenUseRecorder } from './token-use-recorder';

@Module({
  imports: [AdminModule, PartnerModule, RateLimitModule.register({ config: PartnerGatewayConfig, policiesOf })],
  controllers: [TokenController],
  providers: [TokenService, TokenRepository, TokenUseRecorder, PartnerTokenAuthenticator],
  exports: [TokenService],
})
export class TokenModule {}
