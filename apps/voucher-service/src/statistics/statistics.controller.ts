import { Body, Query } from '@nestjs/common';
import {
  FiguresController,
  FindFigures,
  GetFigures,
  PostRecount,
  RecountedFigures,
  RecountFigures,
  VoucherFigures,
} from '@tandem/internal-api';
import { StatisticsService } from './statistics.service';

@FiguresController()
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @GetFigures(VoucherFigures, 'Read the figures of coupons in a range')
  getFigures(@Query() query: FindFigures): Promise<VoucherFigures> {
    return this.statistics.figures(query);
  }

  @PostRecount('Recount the coupons of a partner, or the sums of all partners, and correct differences')
  recount(@Body() { partnerId }: RecountFigures): Promise<RecountedFigures> {
    return this.statistics.recount(partnerId);
  }
}
