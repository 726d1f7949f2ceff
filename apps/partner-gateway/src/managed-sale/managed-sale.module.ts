import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { SaleModule } from '../sale/sale.module';
import { ManagedSaleController } from './managed-sale.controller';
import { ManagedSaleExport } from './managed-sale-export';
import { ManagedSaleRepository } from './managed-sale.repository';
import { ManagedSaleService } from './managed-sale.service';

@Module({
  imports: [AdminModule, PartnerModule, SaleModule],
  controllers: [ManagedSaleController],
  providers: [ManagedSaleService, ManagedSaleExport, ManagedSaleRepository],
})
export class ManagedSaleModule {}
