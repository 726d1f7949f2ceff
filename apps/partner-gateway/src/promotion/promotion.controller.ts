import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { ChangePromotionBody, CreatePromotionBody } from './promotion.dto';
import { PromotionService } from './promotion.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin')
export class PromotionController {
  constructor(private readonly promotions: PromotionService) {}

  @Get('partners/:id/promotions')
  list(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.promotions.listPromotions(partnerId, query);
  }

  @Post('partners/:id/promotions')
  create(@PathId('id') partnerId: string, @Body() body: CreatePromotionBody, @CurrentAct() act: Act) {
    return this.promotions.createPromotion(partnerId, body, act);
  }

  @Patch('promotions/:id')
  change(@PathId('id') id: string, @Body() body: ChangePromotionBody, @CurrentAct() act: Act) {
    return this.promotions.changePromotion(id, body, act);
  }
}
