import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { Act } from '../audit/act';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import { DecisionBody, DecisionsBody, SaleDecisions, SaleDto } from './sale.dto';
import { PartnerInactiveError, SaleNotHeldError, SubscriptionNotFoundError } from './sale.errors';
import { SaleReviewService } from './sale-review.service';

const NOTED = { withNote: { note: 'The buyer is a reseller' } };

@ApiTags('Held sales')
@Controller('admin/sales')
export class SaleReviewController {
  constructor(private readonly sales: SaleReviewService) {}

  @Post('decisions')
  @Endpoint({
    access: MANAGERS,
    summary: 'Release or refuse several held sales',
    description:
      'Each sale is decided separately: a sale that cannot be decided is reported and does not stop the others. If you get no answer, repeat the request: sales that are already decided do not change.',
    body: {
      examples: { refuse: { decision: 'refuse', oids: ['sub-1001', 'sub-1002'], note: 'One buyer with many cards' } },
    },
    answer: { status: 200, description: 'The result for each sale', type: SaleDecisions },
  })
  decideSales(@Body() body: DecisionsBody, @CurrentAct() act: Act) {
    return this.sales.decideSales(body, act);
  }

  @Post(':oid/release')
  @Endpoint({
    access: MANAGERS,
    summary: 'Release a held sale',
    description: 'The sale qualifies immediately, and its postback is sent. A repeat changes nothing.',
    body: { optional: true, type: DecisionBody, examples: NOTED },
    answer: {
      status: 200,
      description: 'The sale',
      type: SaleDto,
      example: { status: 'qualified', holdDecision: 'released', qualifiedAt: '2026-03-01T13:00:00.000Z' },
    },
    errors: [SubscriptionNotFoundError, new SaleNotHeldError('qualified'), PartnerInactiveError],
  })
  releaseSale(
    @PathId('oid', SubscriptionNotFoundError) oid: string,
    @Body() { note = null }: DecisionBody,
    @CurrentAct() act: Act,
  ) {
    return this.sales.releaseSale(oid, note, act);
  }

  @Post(':oid/refuse')
  @Endpoint({
    access: MANAGERS,
    summary: 'Refuse a held sale',
    description: 'The sale can then never qualify. A repeat changes nothing.',
    body: { optional: true, type: DecisionBody, examples: NOTED },
    answer: {
      status: 200,
      description: 'The sale',
      type: SaleDto,
      example: { status: 'failed', holdDecision: 'refused', failureReason: 'refused' },
    },
    errors: [SubscriptionNotFoundError, new SaleNotHeldError('qualified')],
  })
  refuseSale(
    @PathId('oid', SubscriptionNotFoundError) oid: string,
    @Body() { note = null }: DecisionBody,
    @CurrentAct() act: Act,
  ) {
    return this.sales.refuseSale(oid, note, act);
  }
}
