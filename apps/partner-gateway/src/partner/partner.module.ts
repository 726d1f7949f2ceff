import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerGatewayConfig } from '../config';
import { RelayModule } from '../relay/relay.module';
import { ContactEmails } from './contact-email';
import { PartnerAccounts } from './partner-accounts';
import { PartnerController } from './partner.controller';
import { PartnerRepository } from './partner.repository';
import { PartnerService } from './partner.service';

@Module({
  imports: [AdminModule, RelayModule],
  controllers: [PartnerController],
  providers: [
    PartnerService,
    PartnerRepository,
    PartnerAccounts,
    {
      provide: ContactEmails,
      useFactory: (config: PartnerGatewayConfig) => new ContactEmails(config),
      inject: [PartnerGatewayConfig],
    },
  ],
  exports: [PartnerRepository, PartnerAccounts],
})
export class PartnerModule {}
