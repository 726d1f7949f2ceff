import { Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import type { Act } from '../audit/act';
import { PathId } from '../admin/path-id.pipe';
import { PartnerNotFoundError } from '../partner/partner.errors';
import { ManagedStatisticsQuery, Recount, Statistics } from './statistics.dto';
import { StatisticsService } from './statistics.service';

const RECOUNT =
  'Of sales, postbacks and vouchers. Corrects what differs; changes nothing else, and may be repeated. Postbacks are counted as far back as their deliveries are kept. Needed once after the upgrade to the version that brought statistics: it counts what is older.';

@ApiTags('Statistics')
@Controller('admin')
export class ManagedStatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('statistics')
  @Endpoint({
    access: MANAGERS,
    summary: 'Count sales by day, week or month',
    description:
      'By currency, of one partner or of all; and postbacks and vouchers. Each sale counts at its own time, whatever becomes of it later.',
    answer: { description: 'The figures', type: Statistics },
  })
  getStatistics(
    @Query() { partnerId, environment, ...query }: ManagedStatisticsQuery,
    @Req() { id: requestId }: FastifyRequest,
  ) {
    return this.statistics.figures({ partnerId: partnerId ?? null, environment }, query, requestId);
  }

  @Post('statistics/recount')
  @Endpoint({
    access: MANAGERS,
    summary: 'Add up the statistics of all partners again',
    description: `From those of each partner: count these again first. ${RECOUNT}`,
    answer: { status: 200, description: 'Done', type: Recount },
  })
  recountAll(@CurrentAct() act: Act) {
    return this.statistics.recountAll(act);
  }

  @Post('partners/:id/statistics/recount')
  @Endpoint({
    access: MANAGERS,
    summary: 'Count what a partner sold, its postbacks and its vouchers again',
    description: RECOUNT,
    answer: { status: 200, description: 'Done', type: Recount },
    errors: [PartnerNotFoundError],
  })
  recountPartner(@PathId('id', PartnerNotFoundError) id: string, @CurrentAct() act: Act) {
    return this.statistics.recountPartner(id, act);
  }
}
