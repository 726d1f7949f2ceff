import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { ManagerOperation } from '../openapi/operation.decorators';
import { lastPage, PageQuery } from '../paging/page.dto';
import { InvalidCursorError } from '@tandem/internal-api';
import { IntegrationKindMismatchError, PartnerNotFoundError } from '../partner/partner.errors';
import {
  ChangePromotionBody,
  CreatePromotionBody,
  PROMOTION_EXAMPLE,
  PromotionDto,
  PromotionPage,
} from './promotion.dto';
import { PromotionCodeTakenError, PromotionNotFoundError } from './promotion.errors';
import { PromotionService } from './promotion.service';

@ManagerOnly()
@Controller('admin')
export class PromotionController {
  constructor(private readonly promotions: PromotionService) {}

  @Get('partners/:id/promotions')
  @ManagerOperation({
    id: 'listPromotions',
    tag: 'Promotions',
    summary: 'List the promotions of a partner',
    success: { description: 'A page', type: PromotionPage, example: lastPage(PROMOTION_EXAMPLE) },
    failures: [
      new InvalidCursorError(),
      new PartnerNotFoundError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 200' }]),
    ],
  })
  list(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.promotions.listPromotions(partnerId, query);
  }

  @Post('partners/:id/promotions')
  @ManagerOperation({
    id: 'createPromotion',
    tag: 'Promotions',
    summary: 'Create a promotion',
    body: { type: CreatePromotionBody, examples: { twenty: { code: 'MYSHOP-20', percentOff: 20 } } },
    success: { status: 201, description: 'The promotion', type: PromotionDto, example: PROMOTION_EXAMPLE },
    failures: [
      new IntegrationKindMismatchError('promotion'),
      new PartnerNotFoundError(),
      new PromotionCodeTakenError(),
      new ValidationFailedError([{ field: 'percentOff', message: 'percentOff must not be greater than 100' }]),
    ],
  })
  create(@PathId('id') partnerId: string, @Body() body: CreatePromotionBody, @CurrentAct() act: Act) {
    return this.promotions.createPromotion(partnerId, body, act);
  }

  @Patch('promotions/:id')
  @ManagerOperation({
    id: 'changePromotion',
    tag: 'Promotions',
    summary: 'Switch a promotion on or off',
    body: { type: ChangePromotionBody, examples: { off: { active: false } } },
    success: {
      description: 'The promotion',
      type: PromotionDto,
      example: { ...PROMOTION_EXAMPLE, active: false, deactivatedAt: '2026-03-02T12:00:00.000Z' },
    },
    failures: [
      new IntegrationKindMismatchError('promotion'),
      new PromotionNotFoundError(),
      new ValidationFailedError([{ field: 'active', message: 'active must be a boolean value' }]),
    ],
  })
  change(@PathId('id') id: string, @Body() body: ChangePromotionBody, @CurrentAct() act: Act) {
    return this.promotions.changePromotion(id, body, act);
  }
}
