import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { Act } from '../audit/act';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { IntegrationKindMismatchError, PartnerNotFoundError } from '../partner/partner.errors';
import { ChangePromotionBody, CreatePromotionBody, PromotionDto, PromotionPage } from './promotion.dto';
import { PromotionCodeTakenError, PromotionNotFoundError } from './promotion.errors';
import { PromotionService } from './promotion.service';

@ApiTags('Promotions')
@Controller('admin')
export class PromotionController {
  constructor(private readonly promotions: PromotionService) {}

  @Get('partners/:id/promotions')
  @Endpoint({
    access: MANAGERS,
    summary: 'List the promotions of a partner',
    answer: { description: 'A page', type: PromotionPage },
    errors: [PartnerNotFoundError],
  })
  listPromotions(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.promotions.listPromotions(partnerId, query);
  }

  @Post('partners/:id/promotions')
  @Endpoint({
    access: MANAGERS,
    summary: 'Create a promotion',
    answer: { status: 201, description: 'The promotion', type: PromotionDto },
    errors: [new IntegrationKindMismatchError('promotion'), PartnerNotFoundError, PromotionCodeTakenError],
  })
  createPromotion(@PathId('id') partnerId: string, @Body() body: CreatePromotionBody, @CurrentAct() act: Act) {
    return this.promotions.createPromotion(partnerId, body, act);
  }

  @Patch('promotions/:id')
  @Endpoint({
    access: MANAGERS,
    summary: 'Switch a promotion on or off',
    answer: {
      description: 'The promotion',
      type: PromotionDto,
      example: { active: false, deactivatedAt: '2026-03-02T12:00:00.000Z' },
    },
    errors: [new IntegrationKindMismatchError('promotion'), PromotionNotFoundError],
  })
  changePromotion(@PathId('id') id: string, @Body() body: ChangePromotionBody, @CurrentAct() act: Act) {
    return this.promotions.changePromotion(id, body, act);
  }
}
