import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { PostbackModule } from '../postback/postback.module';
import { ManagedPostbackController } from './managed-postback.controller';
import { ManagedPostbackService } from './managed-postback.service';

@Module({
  imports: [AdminModule, PartnerModule, PostbackModule],
  controllers: [ManagedPostbackController],
  providers: [ManagedPostbackService],
})
export class ManagedPostbackModule {}
