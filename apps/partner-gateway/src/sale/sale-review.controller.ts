import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { SalesQuery } from './sale.dto';
import { SaleReviewService } from './sale-review.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin/sales')
export class SaleReviewController {
  constructor(private readonly sales: SaleReviewService) {}

  @Get()
  list(@Query() query: SalesQuery) {
    return this.sales.listSales(query);
  }

  @Post(':oid/release')
  @HttpCode(200)
  release(@PathId('oid') oid: string, @CurrentAct() act: Act) {
    return this.sales.releaseSale(oid, act);
  }

  @Post(':oid/refuse')
  @HttpCode(200)
  refuse(@PathId('oid') oid: string, @CurrentAct() act: Act) {
    return this.sales.refuseSale(oid, act);
  }
}
