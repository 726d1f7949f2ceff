import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, FindFigures, PostbackFigures, RecountedFigures, RecountFigures } from '@tandem/internal-api';
import { StatisticsService } from './statistics.service';

/** Internal API for partner-gateway, which has authenticated and authorised its caller. The edge never exposes it. */
@ApiTags('statistics')
@Controller('internal/statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get()
  @Endpoint({
    access: APPS,
    summary: 'Returns the figures of deliveries in a range',
    answer: { type: PostbackFigures },
  })
  getFigures(@Query() query: FindFigures): Promise<PostbackFigures> {
    return this.statistics.figures(query);
  }

  @Post('recount')
  @Endpoint({
    access: APPS,
    summary:
      'Recounts the deliveries of a partner that are still kept, or the sums of all partners, and corrects differences',
    answer: { status: 200, type: RecountedFigures },
  })
  recount(@Body() { partnerId }: RecountFigures): Promise<RecountedFigures> {
    return this.statistics.recount(partnerId);
  }
}
