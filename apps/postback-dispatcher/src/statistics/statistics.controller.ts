import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, FindFigures, PostbackFigures, RecountedFigures, RecountFigures } from '@tandem/internal-api';
import { StatisticsService } from './statistics.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('statistics')
@Controller('internal/statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get()
  @Endpoint({
    access: APPS,
    summary: 'The figures of the deliveries of a range of time',
    answer: { type: PostbackFigures },
  })
  getFigures(@Query() query: FindFigures): Promise<PostbackFigures> {
    return this.statistics.figures(query);
  }

  @Post('recount')
  @Endpoint({
    access: APPS,
    summary: 'Counts the kept deliveries of a partner again, or adds up those of all, and corrects what differs',
    answer: { status: 200, type: RecountedFigures },
  })
  recount(@Body() { partnerId }: RecountFigures): Promise<RecountedFigures> {
    return this.statistics.recount(partnerId);
  }
}
