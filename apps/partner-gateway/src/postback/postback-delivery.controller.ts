import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { FastifyRequest } from 'fastify';
import { PartnerOperation } from '../openapi/operation.decorators';
import { InvalidCursorError, PostbackDisabledError, PostbackNotConfiguredError } from '@tandem/internal-api';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { DELIVERY_PAGE_EXAMPLE, REPLAYED_EXAMPLE } from './postback-delivery.examples';
import {
  ListDeliveriesQuery,
  PostbackDeliveryPageDto,
  ReplayedDeliveriesDto,
  ReplayedDeliveryDto,
  ReplayRangeBody,
} from './postback-delivery.dto';
import { PostbackClient, type RelayedJson } from './postback.client';
import { DeliveryNotFoundError } from './postback.errors';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The partner's side of the delivery log. Answers are passed on as postback-dispatcher wrote them: a page can be large. */
@Controller('api/v2/partner/postback/deliveries')
export class PostbackDeliveryController {
  constructor(private readonly postbacks: PostbackClient) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @PartnerOperation({
    id: 'listDeliveries',
    tag: 'Postback',
    summary: 'List deliveries with their attempts',
    description:
      'Newest first, for 90 days. Pass `nextCursor` as `cursor` for the next page, with the same status; a deep page costs what the first costs.',
    success: {
      description: 'A page',
      type: PostbackDeliveryPageDto,
      example: DELIVERY_PAGE_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [
      new InvalidCursorError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 500' }]),
    ],
  })
  @PartnerAccess({ kind: 'promotion', scope: 'postback:read' })
  list(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
    @Query() query: ListDeliveriesQuery,
  ): Promise<RelayedJson> {
    return this.postbacks.listDeliveries({ partnerId, environment, requestId }, query);
  }

  @Post('replay')
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @PartnerOperation({
    id: 'replayDeliveries',
    tag: 'Postback',
    summary: 'Send the deliveries of a range of time again',
    description:
      'All of the range or none, at most 100,000 at once: what was not delivered, or what has the given status. For catching up after an outage: save the configuration, which enables it again, then replay.',
    body: {
      type: ReplayRangeBody,
      examples: {
        notDelivered: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' },
        held: { from: '2026-03-01T00:00:00+01:00', to: '2026-03-02T00:00:00+01:00', status: 'held' },
      },
    },
    success: {
      status: 202,
      description: 'They are sent again',
      type: ReplayedDeliveriesDto,
      example: { count: 42 },
      headers: ['Cache-Control'],
    },
    failures: [
      new PostbackNotConfiguredError(),
      new PostbackDisabledError(),
      new ValidationFailedError([{ field: 'to', message: 'to must be later than from' }]),
    ],
  })
  @PartnerAccess({ kind: 'promotion', scope: 'postback:write' })
  replayRange(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
    @Body() { from, to, status }: ReplayRangeBody,
  ): Promise<RelayedJson> {
    return this.postbacks.replayRange({ partnerId, environment, requestId }, { from, to, status });
  }

  @Post(':id/replay')
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @ApiParam({ name: 'id', description: 'Of the delivery', schema: { type: 'string', format: 'uuid' } })
  @PartnerOperation({
    id: 'replayDelivery',
    tag: 'Postback',
    summary: 'Send a delivery again',
    description:
      'Whatever its status is, under the same `webhook-id`. Its retries begin anew, and its attempts go on counting. One that is pending already is tried now.',
    success: {
      status: 202,
      description: 'It is sent again',
      type: ReplayedDeliveryDto,
      example: REPLAYED_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [new DeliveryNotFoundError(), new PostbackNotConfiguredError(), new PostbackDisabledError()],
  })
  @PartnerAccess({ kind: 'promotion', scope: 'postback:write' })
  replay(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
    @Param('id') id: string,
  ): Promise<RelayedJson> {
    return this.postbacks.replayDelivery({ partnerId, environment, requestId }, id);
  }
}
