import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  DeliveryNotFoundError,
  PostbackDeliveryPage,
  PostbackDisabledError,
  PostbackEndpointStatus,
  PostbackNotConfiguredError,
  PostbackReplayCount,
  PostbackTestResult,
  ReplayedPostbackDeliveries,
  ReplayedPostbackDelivery,
  ReplayPostbackDeliveries,
  SaleClosedError,
} from '@tandem/internal-api';
import type { FastifyRequest } from 'fastify';
import type { Act } from '../audit/act';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import { PartnerNotFoundError } from '../partner/partner.errors';
import type { RelayedJson } from '../relay/relay.client';
import { CountManagedReplayQuery, EnvironmentQuery, ListManagedDeliveriesQuery } from './managed-postback.dto';
import { ManagedPostbackService } from './managed-postback.service';

/** A manager's operations on a partner's postbacks. */
@ApiTags('Postbacks')
@Controller('admin/partners/:id')
export class ManagedPostbackController {
  constructor(private readonly postbacks: ManagedPostbackService) {}

  @Get('postback')
  @Endpoint({
    access: MANAGERS,
    summary: "Read the state of a partner's postback configuration",
    description: 'States where postbacks go and whether they are sent. The key is never returned.',
    answer: { description: 'The state of the configuration', type: PostbackEndpointStatus },
    errors: [PartnerNotFoundError, PostbackNotConfiguredError],
    noStore: true,
  })
  getPostbackStatus(
    @PathId('id') partnerId: string,
    @Query() { environment }: EnvironmentQuery,
    @Req() { id: requestId }: FastifyRequest,
  ) {
    return this.postbacks.getStatus({ partnerId, environment, requestId });
  }

  @Post('postback/enable')
  @Endpoint({
    access: MANAGERS,
    summary: "Enable a partner's postback configuration again",
    description:
      'Use this operation when the endpoint works again. It also ends a pause. Held deliveries stay held until they are replayed. A repeat changes nothing.',
    answer: { status: 200, description: 'The state of the configuration', type: PostbackEndpointStatus },
    errors: [PartnerNotFoundError, PostbackNotConfiguredError],
    noStore: true,
  })
  enablePostback(@PathId('id') partnerId: string, @Query() { environment }: EnvironmentQuery, @CurrentAct() act: Act) {
    return this.postbacks.enable({ partnerId, environment }, act);
  }

  @Post('postback/test')
  @Endpoint({
    access: MANAGERS,
    summary: "Send a sample to a partner's endpoint",
    description:
      'Sends the sample immediately and without retries. Its `oid` begins with `test_`. The answer is returned when the endpoint has answered or the attempt has timed out.',
    answer: { status: 200, description: 'The result', type: PostbackTestResult },
    errors: [PartnerNotFoundError, PostbackNotConfiguredError],
    noStore: true,
    relayed: true,
  })
  testPartnerPostback(
    @PathId('id') partnerId: string,
    @Query() { environment }: EnvironmentQuery,
    @CurrentAct() act: Act,
  ): Promise<RelayedJson> {
    return this.postbacks.sendTest({ partnerId, environment }, act);
  }

  @Get('deliveries')
  @Endpoint({
    access: MANAGERS,
    summary: "List a partner's deliveries with their attempts",
    description: 'The deliveries of one environment that the partner sees: those of the last 90 days, newest first.',
    answer: { description: 'A page', type: PostbackDeliveryPage },
    errors: [PartnerNotFoundError],
    noStore: true,
    relayed: true,
  })
  listPartnerDeliveries(
    @PathId('id') partnerId: string,
    @Query() { environment, ...query }: ListManagedDeliveriesQuery,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<RelayedJson> {
    return this.postbacks.listDeliveries({ partnerId, environment, requestId }, query);
  }

  @Get('deliveries/replay')
  @Endpoint({
    access: MANAGERS,
    summary: 'Count the deliveries that a replay of a time range would send',
    description:
      'Returns how many deliveries `POST` on this path would send now for the same range, status and environment. Sends nothing, and leaves no audit entry. The configuration may be missing or disabled. A range that the `POST` would refuse, for example because it has more than 100,000 such deliveries, is refused here too.',
    answer: { description: 'The number of deliveries', type: PostbackReplayCount },
    errors: [PartnerNotFoundError],
    noStore: true,
    relayed: true,
  })
  countPartnerReplay(
    @PathId('id') partnerId: string,
    @Query() { environment, ...query }: CountManagedReplayQuery,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<RelayedJson> {
    return this.postbacks.countReplay({ partnerId, environment, requestId }, query);
  }

  @Post('deliveries/replay')
  @Endpoint({
    access: MANAGERS,
    summary: 'Replay a partner’s deliveries of a time range',
    description:
      'Replays the deliveries with the status `failed` or `held`, or those with the given status. `all` means `failed`, `held` and `delivered`. A range with more than 100,000 of them is refused. Postbacks of sales that were refunded or charged back are skipped. The range is replayed in parts: a request that gets no answer may have replayed some deliveries, and a repeat replays the others. A repeat with the status `delivered` or `all` also sends the deliveries again that have been delivered in the meantime, and begins with the oldest: if such a request gets no answer or 503, use shorter ranges.',
    body: { examples: { notDelivered: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' } } },
    answer: { status: 202, description: 'The deliveries are sent again', type: ReplayedPostbackDeliveries },
    errors: [PartnerNotFoundError, PostbackNotConfiguredError, PostbackDisabledError],
    noStore: true,
  })
  replayPartnerDeliveries(
    @PathId('id') partnerId: string,
    @Query() { environment }: EnvironmentQuery,
    @Body() body: ReplayPostbackDeliveries,
    @CurrentAct() act: Act,
  ): Promise<ReplayedPostbackDeliveries> {
    return this.postbacks.replayRange({ partnerId, environment }, body, act);
  }

  @Post('deliveries/:deliveryId/replay')
  @ApiParam({ name: 'deliveryId', schema: { type: 'string', format: 'uuid' } })
  @Endpoint({
    access: MANAGERS,
    summary: 'Replay a partner’s delivery',
    description:
      'Works for any status and keeps the `webhook-id`. The postback of a sale that was refunded or charged back is not sent. A pending delivery is attempted immediately.',
    answer: { status: 202, description: 'The delivery is sent again', type: ReplayedPostbackDelivery },
    errors: [
      PartnerNotFoundError,
      DeliveryNotFoundError,
      PostbackNotConfiguredError,
      PostbackDisabledError,
      SaleClosedError,
    ],
    noStore: true,
    relayed: true,
  })
  replayPartnerDelivery(
    @PathId('id') partnerId: string,
    @PathId('deliveryId') deliveryId: string,
    @Query() { environment }: EnvironmentQuery,
    @CurrentAct() act: Act,
  ): Promise<RelayedJson> {
    return this.postbacks.replayDelivery({ partnerId, environment }, deliveryId, act);
  }
}
