import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { GatewayLimitsModule } from '../rate-limit/gateway-limits.module';
import { PartnerTokenAuthenticator } from './partner-token.authenticator';
import { TokenController } from './token.controller';
import { TokenRepository } from './token.repository';
import { TokenService } from './token.service';
import { TokenUseRecorder } from './token-use-recorder';

@Module({
  imports: [AdminModule, PartnerModule, GatewayLimitsModule],
  controllers: [TokenController],
  providers: [TokenService, TokenRepository, TokenUseRecorder, PartnerTokenAuthenticator],
  exports: [TokenService, PartnerTokenAuthenticator],
})
export class TokenModule {}
