import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
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
  release(@Param('oid') oid: string, @CurrentAct() act: Act) {
    return this.sales.releaseSale(oid, act);
  }

  @Post(':oid/refuse')
  @HttpCode(200)
  refuse(@Param('oid') oid: string, @CurrentAct() act: Act) {
    return this.sales.refuseSale(oid, act);
  }
}
