import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { ApplicationModule } from '../application/application.module';
import { PartnerModule } from '../partner/partner.module';
import { RelayModule } from '../relay/relay.module';
import { SaleModule } from '../sale/sale.module';
import { AttentionController } from './attention.controller';
import { AttentionService } from './attention.service';

@Module({
  imports: [AdminModule, ApplicationModule, PartnerModule, RelayModule, SaleModule],
  controllers: [AttentionController],
  providers: [AttentionService],
})
export class AttentionModule {}
