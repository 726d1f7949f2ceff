import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { AuditModule } from '../audit/audit.module';
import { PartnerModule } from '../partner/partner.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { PartnerTokenHook } from './partner-token.hook';
import { TokenController } from './token.controller';
import { TokenRepository } from './token.repository';
import { TokenService } from './token.service';
import { TokenUseRecorder } from './token-use.recorder';

@Module({
  imports: [AdminModule, AuditModule, PartnerModule, RateLimitModule],
  controllers: [TokenController],
  providers: [TokenService, TokenRepository, TokenUseRecorder, PartnerTokenHook],
})
export class TokenModule {}
