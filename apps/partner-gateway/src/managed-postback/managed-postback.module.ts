import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { RelayModule } from '../relay/relay.module';
import { ManagedPostbackController } from './managed-postback.controller';
import { ManagedPostbackService } from './managed-postback.service';

@Module({
  imports: [AdminModule, PartnerModule, RelayModule],
  controllers: [ManagedPostbackController],
  providers: [ManagedPostbackService],
})
export class ManagedPostbackModule {}
