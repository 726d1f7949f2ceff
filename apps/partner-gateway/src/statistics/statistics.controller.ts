import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { CurrentCall, type PartnerCall } from '../relay/current-call.decorator';
import { partners } from '../token/partner.access';
import { Statistics, StatisticsQuery } from './statistics.dto';
import { StatisticsService } from './statistics.service';

@ApiTags('Sales')
@Controller('api/v2/partner/statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get()
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'sales:read' }),
    summary: 'Count your sales by day, week or month',
    description:
      'Your sales by currency, your postbacks and your vouchers. A refund changes the figures of the day of the sale, not those of the day of the refund.',
    answer: { description: 'The figures', type: Statistics },
    noStore: true,
  })
  getStatistics(@CurrentCall() call: PartnerCall, @Query() query: StatisticsQuery) {
    return this.statistics.figures(call, query, call.requestId);
  }
}
