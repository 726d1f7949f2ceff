import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { AuditModule } from '../audit/audit.module';
import { PartnerModule } from '../partner/partner.module';
import { PartnerTokenGuard } from './partner-token.guard';
import { TokenController } from './token.controller';
import { TokenRepository } from './token.repository';
import { TokenService } from './token.service';
import { TokenUseRecorder } from './token-use.recorder';

@Module({
  imports: [AdminModule, AuditModule, PartnerModule],
  controllers: [TokenController],
  providers: [TokenService, TokenRepository, TokenUseRecorder, PartnerTokenGuard],
  // A guard is made anew in each module that uses it, so its own parts must be within reach there.
  exports: [PartnerTokenGuard, TokenRepository, TokenUseRecorder],
})
export class TokenModule {}
