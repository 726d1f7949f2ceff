import { Body, Query } from '@nestjs/common';
import {
  FiguresController,
  FindFigures,
  GetFigures,
  PostbackFigures,
  PostRecount,
  RecountedFigures,
  RecountFigures,
} from '@tandem/internal-api';
import { StatisticsService } from './statistics.service';

@FiguresController()
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @GetFigures(PostbackFigures, 'Read the figures of deliveries in a range')
  getFigures(@Query() query: FindFigures): Promise<PostbackFigures> {
    return this.statistics.figures(query);
  }

  @PostRecount('Recount the stored deliveries of a partner, or the sums of all partners, and correct differences')
  recount(@Body() { partnerId }: RecountFigures): Promise<RecountedFigures> {
    return this.statistics.recount(partnerId);
  }
}
