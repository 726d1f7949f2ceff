import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  CountPostbackReplay,
  DeliveryNotFoundError,
  ListPostbackDeliveries,
  PostbackDeliveryPage,
  PostbackDisabledError,
  PostbackNotConfiguredError,
  postbackRangeReplayPath,
  PostbackReplayCount,
  ReplayedPostbackDeliveries,
  ReplayedPostbackDelivery,
  ReplayPostbackDeliveries,
  SaleClosedError,
} from '@tandem/internal-api';
import { CurrentCall, type PartnerCall } from '../relay/current-call.decorator';
import type { RelayedJson } from '../relay/relay.client';
import { partners } from '../token/partner.access';
import { PostbackClient } from '../relay/postback.client';

/** A partner's operations on its delivery log. They are relayed to postback-dispatcher. */
@ApiTags('Postback')
@Controller('api/v2/partner/postback/deliveries')
export class PostbackDeliveryController {
  constructor(private readonly postbacks: PostbackClient) {}

  @Get()
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:read' }),
    summary: 'List deliveries with their attempts',
    description:
      'Deliveries of the last 90 days, newest first. For the next page, pass `nextCursor` as `cursor` with the same filters. Later pages are as fast as the first.',
    answer: { description: 'A page', type: PostbackDeliveryPage },
    noStore: true,
    relayed: true,
  })
  listDeliveries(@CurrentCall() call: PartnerCall, @Query() query: ListPostbackDeliveries): Promise<RelayedJson> {
    return this.postbacks.listDeliveries(call, query);
  }

  @Get('replay')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:read' }),
    summary: 'Count the deliveries that a replay of a time range would send',
    description:
      'Returns how many deliveries `POST` on this path would send now for the same range and status. Sends nothing. The configuration may be missing or disabled. A range that the `POST` would refuse, for example because it has more than 100,000 such deliveries, is refused here too.',
    answer: { description: 'The number of deliveries', type: PostbackReplayCount },
    noStore: true,
    relayed: true,
  })
  countReplay(@CurrentCall() call: PartnerCall, @Query() query: CountPostbackReplay): Promise<RelayedJson> {
    return this.postbacks.countReplay(call, query);
  }

  @Post('replay')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:write' }),
    summary: 'Replay the deliveries of a time range',
    description:
      'Replays the deliveries with the status `failed` or `held`, or those with the given status. `all` means `failed`, `held` and `delivered`. A range with more than 100,000 of them is refused. Postbacks of sales that were refunded or charged back are skipped. The range is replayed in parts: a request that gets no answer may have replayed some deliveries, and a repeat replays the others. A repeat with the status `delivered` or `all` also sends the deliveries again that have been delivered in the meantime, and begins with the oldest: if such a request gets no answer or 503, use shorter ranges. To catch up after an outage, save the configuration, which enables it again, then replay.',
    body: {
      examples: {
        notDelivered: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' },
        held: { from: '2026-03-01T00:00:00+01:00', to: '2026-03-02T00:00:00+01:00', status: 'held' },
      },
    },
    answer: { status: 202, description: 'The deliveries are sent again', type: ReplayedPostbackDeliveries },
    errors: [PostbackNotConfiguredError, PostbackDisabledError],
    noStore: true,
    relayed: true,
  })
  replayDeliveries(
    @CurrentCall() call: PartnerCall,
    @Body() { from, to, status }: ReplayPostbackDeliveries,
  ): Promise<RelayedJson> {
    return this.postbacks.relay(202, 'POST', postbackRangeReplayPath, call, { body: { from, to, status } });
  }

  @Post(':id/replay')
  @ApiParam({ name: 'id', description: 'The id of the delivery', schema: { type: 'string', format: 'uuid' } })
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:write' }),
    summary: 'Replay a delivery',
    description:
      'Works for any status and keeps the `webhook-id`. The numbers of the attempts continue. A pending delivery is attempted immediately, and keeps its place in the retry schedule. For any other status, the retries start over. The postback of a sale that was refunded or charged back is not sent.',
    answer: { status: 202, description: 'The delivery is sent again', type: ReplayedPostbackDelivery },
    errors: [DeliveryNotFoundError, PostbackNotConfiguredError, PostbackDisabledError, SaleClosedError],
    noStore: true,
    relayed: true,
  })
  replayDelivery(@CurrentCall() call: PartnerCall, @Param('id') id: string): Promise<RelayedJson> {
    return this.postbacks.replayDelivery(call, id);
  }
}
