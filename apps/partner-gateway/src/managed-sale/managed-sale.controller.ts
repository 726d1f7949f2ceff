import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { MANAGERS } from '../admin/manager.access';
import { SalePage, SalesQuery } from './managed-sale.dto';
import { ManagedSaleService } from './managed-sale.service';

@ApiTags('Held sales')
@Controller('admin/sales')
export class ManagedSaleController {
  constructor(private readonly sales: ManagedSaleService) {}

  @Get()
  @Endpoint({
    access: MANAGERS,
    summary: 'List sales',
    description:
      'Of all partners, newest first by arrival, and by the time of the sale with `environment`, `from`, `to` or `search`. `status=held` lists those that wait for a decision. `oid` also finds a purchase that is not a partner’s sale, with the reason.',
    answer: { description: 'A page', type: SalePage },
  })
  listSales(@Query() query: SalesQuery) {
    return this.sales.listSales(query);
  }
}
