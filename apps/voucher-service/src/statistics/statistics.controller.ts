import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, FindFigures, RecountedFigures, RecountFigures, VoucherFigures } from '@tandem/internal-api';
import { StatisticsService } from './statistics.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('statistics')
@Controller('internal/statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get()
  @Endpoint({
    access: APPS,
    summary: 'The figures of the coupons of a range of time',
    answer: { type: VoucherFigures },
  })
  getFigures(@Query() query: FindFigures): Promise<VoucherFigures> {
    return this.statistics.figures(query);
  }

  @Post('recount')
  @Endpoint({
    access: APPS,
    summary: 'Counts the coupons of a partner again, or adds up those of all, and corrects what differs',
    answer: { status: 200, type: RecountedFigures },
  })
  recount(@Body() { partnerId }: RecountFigures): Promise<RecountedFigures> {
    return this.statistics.recount(partnerId);
  }
}
