import { Module } from '@nestjs/common';
import { RelayModule } from '../relay/relay.module';
import { TokenModule } from '../token/token.module';
import { PartnerSaleController } from './partner-sale.controller';
import { PartnerSaleExport } from './partner-sale-export';
import { PartnerSaleRepository } from './partner-sale.repository';
import { PartnerSaleService } from './partner-sale.service';

@Module({
  imports: [RelayModule, TokenModule],
  controllers: [PartnerSaleController],
  providers: [PartnerSaleService, PartnerSaleExport, PartnerSaleRepository],
})
export class PartnerSaleModule {}
