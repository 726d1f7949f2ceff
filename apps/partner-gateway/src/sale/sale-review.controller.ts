import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { ManagerOperation } from '../openapi/operation.decorators';
import { lastPage } from '../paging/page.dto';
import { InvalidCursorError } from '@tandem/internal-api';
import { SalesQuery } from './sale.dto';
import { PartnerInactiveError, SaleNotHeldError, SubscriptionNotFoundError } from './sale.errors';
import { HELD_SALE_EXAMPLE, SaleDto, SalePage } from './sale-view.dto';
import { SaleReviewService } from './sale-review.service';

@ManagerOnly()
@Controller('admin/sales')
export class SaleReviewController {
  constructor(private readonly sales: SaleReviewService) {}

  @Get()
  @ManagerOperation({
    id: 'listSales',
    tag: 'Held sales',
    summary: 'List sales',
    description: 'Of all partners; `status=held` lists those that wait for a decision.',
    success: { description: 'A page', type: SalePage, example: lastPage(HELD_SALE_EXAMPLE) },
    failures: [
      new InvalidCursorError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 200' }]),
    ],
  })
  list(@Query() query: SalesQuery) {
    return this.sales.listSales(query);
  }

  @Post(':oid/release')
  @ManagerOperation({
    id: 'releaseSale',
    tag: 'Held sales',
    summary: 'Release a held sale',
    description: 'It qualifies now, and its postback is sent. A repeat changes nothing.',
    success: {
      description: 'The sale',
      type: SaleDto,
      example: {
        ...HELD_SALE_EXAMPLE,
        status: 'qualified',
        holdDecision: 'released',
        qualifiedAt: '2026-03-01T13:00:00.000Z',
      },
    },
    failures: [new SubscriptionNotFoundError(), new SaleNotHeldError('qualified'), new PartnerInactiveError()],
  })
  @HttpCode(200)
  release(@PathId('oid') oid: string, @CurrentAct() act: Act) {
    return this.sales.releaseSale(oid, act);
  }

  @Post(':oid/refuse')
  @ManagerOperation({
    id: 'refuseSale',
    tag: 'Held sales',
    summary: 'Refuse a held sale',
    description: 'It never qualifies. A repeat changes nothing.',
    success: {
      description: 'The sale',
      type: SaleDto,
      example: { ...HELD_SALE_EXAMPLE, status: 'failed', holdDecision: 'refused', failureReason: 'refused' },
    },
    failures: [new SubscriptionNotFoundError(), new SaleNotHeldError('qualified')],
  })
  @HttpCode(200)
  refuse(@PathId('oid') oid: string, @CurrentAct() act: Act) {
    return this.sales.refuseSale(oid, act);
  }
}
