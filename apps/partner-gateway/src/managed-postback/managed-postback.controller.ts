import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  DeliveryNotFoundError,
  PostbackDeliveryPage,
  PostbackDisabledError,
  PostbackEndpointStatus,
  PostbackNotConfiguredError,
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
import { EnvironmentQuery, ListManagedDeliveriesQuery } from './managed-postback.dto';
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
    description: 'Where postbacks go, and whether they are sent. The key is never returned.',
    answer: { description: 'Its state', type: PostbackEndpointStatus },
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
      'For an endpoint that answers again: it also ends a pause. Held deliveries stay held until they are replayed. A repeat changes nothing.',
    answer: { status: 200, description: 'Its state', type: PostbackEndpointStatus },
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
      'Now, with an `oid` that begins with `test_`, and without retries. Takes as long as the endpoint does.',
    answer: { status: 200, description: 'What came of it', type: PostbackTestResult },
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
    description: 'As the partner sees them in one environment: newest first, for 90 days.',
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

  @Post('deliveries/replay')
  @Endpoint({
    access: MANAGERS,
    summary: "Send a partner's deliveries of a range of time again",
    description:
      'At most 100,000 deliveries: those that were not delivered, or those with the given status, without sales that were refunded or charged back. The range is sent in parts: a request that gets no answer may have sent some of them, and a repeat sends the others.',
    body: { examples: { notDelivered: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' } } },
    answer: { status: 202, description: 'They are sent again', type: ReplayedPostbackDeliveries },
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
    summary: "Send a partner's delivery again",
    description:
      'Whatever its status is, under the same `webhook-id`; not when its sale was refunded or charged back. One that is pending already is tried now.',
    answer: { status: 202, description: 'It is sent again', type: ReplayedPostbackDelivery },
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
