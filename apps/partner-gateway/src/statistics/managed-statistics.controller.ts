import { Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { Endpoint } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import type { Act } from '../audit/act';
import { PathId } from '../admin/path-id.pipe';
import { PartnerNotFoundError } from '../partner/partner.errors';
import { ManagedStatisticsQuery, PartnerRanking, RankingQuery, Recount, Statistics } from './statistics.dto';
import { StatisticsService } from './statistics.service';

const LIMITS = `It changes nothing else and may be repeated. The answer can take almost a minute. If the recount of sales takes more than ${RECOUNT_TIMEOUT_MS / 1_000} s, it is undone and the answer is 503.`;
const UPGRADE = 'Run it once after the upgrade to the release that introduced statistics';
const RECOUNT = `Counts sales, postbacks and vouchers, and corrects differences. ${LIMITS} Only postbacks whose deliveries are still kept are recounted. ${UPGRADE}, to count older sales, postbacks and vouchers.`;

@ApiTags('Statistics')
@Controller('admin')
export class ManagedStatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('statistics')
  @Endpoint({
    access: MANAGERS,
    summary: 'Count sales by day, week or month',
    description:
      'Sales by currency, postbacks and vouchers, of one partner or of all. A sale counts on the day it was made, even if it is refunded later.',
    answer: { description: 'The figures', type: Statistics },
  })
  getStatistics(
    @Query() { partnerId, environment, ...query }: ManagedStatisticsQuery,
    @Req() { id: requestId }: FastifyRequest,
  ) {
    return this.statistics.figures({ partnerId: partnerId ?? null, environment }, query, requestId);
  }

  @Get('statistics/partners')
  @Endpoint({
    access: MANAGERS,
    summary: 'Rank partners by net amount',
    description:
      'The partners with the highest net amounts in each currency. `by` only extends the range to whole weeks or months, as for the other statistics.',
    answer: { description: 'The ranking', type: PartnerRanking },
  })
  rankPartners(@Query() query: RankingQuery) {
    return this.statistics.ranking(query);
  }

  @Post('statistics/recount')
  @Endpoint({
    access: MANAGERS,
    summary: 'Recount the statistics of all partners',
    description: `Recount each partner first: this operation adds up the figures of all partners from those of each partner, and corrects differences. ${LIMITS} ${UPGRADE}.`,
    answer: { status: 200, description: 'Done', type: Recount },
  })
  recountAll(@CurrentAct() act: Act) {
    return this.statistics.recountAll(act);
  }

  @Post('partners/:id/statistics/recount')
  @Endpoint({
    access: MANAGERS,
    summary: 'Recount the statistics of a partner',
    description: RECOUNT,
    answer: { status: 200, description: 'Done', type: Recount },
    errors: [PartnerNotFoundError],
  })
  recountPartner(@PathId('id', PartnerNotFoundError) id: string, @CurrentAct() act: Act) {
    return this.statistics.recountPartner(id, act);
  }
}
