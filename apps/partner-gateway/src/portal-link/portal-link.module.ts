import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { TokenModule } from '../token/token.module';
import { PortalCodeAuthenticator } from './portal-code.authenticator';
import { PortalLinkController } from './portal-link.controller';
import { PortalLinkRepository } from './portal-link.repository';
import { PortalLinkRetention } from './portal-link-retention';
import { PortalLinkService } from './portal-link.service';
import { PortalSessionController } from './portal-session.controller';

@Module({
  imports: [AdminModule, PartnerModule, TokenModule],
  controllers: [PortalLinkController, PortalSessionController],
  providers: [PortalLinkService, PortalLinkRepository, PortalLinkRetention, PortalCodeAuthenticator],
})
export class PortalLinkModule {}
