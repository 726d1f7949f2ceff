import { Controller, Get, Header, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { FastifyRequest } from 'fastify';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { ManagerOperation } from '../openapi/operation.decorators';
import { InvalidCursorError, PostbackDisabledError, PostbackNotConfiguredError } from '@tandem/internal-api';
import { PartnerNotFoundError } from '../partner/partner.errors';
import type { RelayedJson } from '../postback/postback.client';
import { DELIVERY_PAGE_EXAMPLE, REPLAYED_EXAMPLE } from '../postback/postback-delivery.examples';
import { PostbackDeliveryPageDto, ReplayedDeliveryDto } from '../postback/postback-delivery.dto';
import { DeliveryNotFoundError } from '../postback/postback.errors';
import {
  EnvironmentQuery,
  ListManagedDeliveriesQuery,
  PostbackStatusDto,
  STATUS_EXAMPLE,
} from './managed-postback.dto';
import { ManagedPostbackService } from './managed-postback.service';

const JSON_TYPE = 'application/json; charset=utf-8';
const WRONG_ENVIRONMENT = new ValidationFailedError([
  { field: 'environment', message: 'environment must be one of the following values: live, test' },
]);

/** What a manager sees of a partner's postbacks, and does about them. */
@ManagerOnly()
@Controller('admin/partners/:id')
export class ManagedPostbackController {
  constructor(private readonly postbacks: ManagedPostbackService) {}

  @Get('postback')
  @Header('Cache-Control', 'no-store')
  @ManagerOperation({
    id: 'getPostbackStatus',
    tag: 'Postbacks',
    summary: "Read the state of a partner's postback configuration",
    description: 'Where postbacks go, and whether they are sent. The key never comes back.',
    success: { description: 'Its state', type: PostbackStatusDto, example: STATUS_EXAMPLE, headers: ['Cache-Control'] },
    failures: [new PartnerNotFoundError(), new PostbackNotConfiguredError(), WRONG_ENVIRONMENT],
  })
  getStatus(
    @PathId('id') partnerId: string,
    @Query() { environment }: EnvironmentQuery,
    @Req() { id: requestId }: FastifyRequest,
  ) {
    return this.postbacks.getStatus({ partnerId, environment, requestId });
  }

  @Post('postback/enable')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ManagerOperation({
    id: 'enablePostback',
    tag: 'Postbacks',
    summary: "Enable a partner's postback configuration again",
    description:
      'For an endpoint that answers again: a pause ends too. What is held stays held until it is replayed. A repeat changes nothing.',
    success: { description: 'Its state', type: PostbackStatusDto, example: STATUS_EXAMPLE, headers: ['Cache-Control'] },
    failures: [new PartnerNotFoundError(), new PostbackNotConfiguredError(), WRONG_ENVIRONMENT],
  })
  enable(@PathId('id') partnerId: string, @Query() { environment }: EnvironmentQuery, @CurrentAct() act: Act) {
    return this.postbacks.enable({ partnerId, environment }, act);
  }

  @Get('deliveries')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @ManagerOperation({
    id: 'listPartnerDeliveries',
    tag: 'Postbacks',
    summary: "List a partner's deliveries with their attempts",
    description: 'As the partner sees them in one environment: newest first, for 90 days.',
    success: {
      description: 'A page',
      type: PostbackDeliveryPageDto,
      example: DELIVERY_PAGE_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [
      new PartnerNotFoundError(),
      new InvalidCursorError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 500' }]),
    ],
  })
  listDeliveries(
    @PathId('id') partnerId: string,
    @Query() { environment, ...query }: ListManagedDeliveriesQuery,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<RelayedJson> {
    return this.postbacks.listDeliveries({ partnerId, environment, requestId }, query);
  }

  @Post('deliveries/:deliveryId/replay')
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @ApiParam({ name: 'deliveryId', schema: { type: 'string', format: 'uuid' } })
  @ManagerOperation({
    id: 'replayPartnerDelivery',
    tag: 'Postbacks',
    summary: "Send a partner's delivery again",
    description: 'Whatever its status is, under the same `webhook-id`. One that is pending already is tried now.',
    success: {
      status: 202,
      description: 'It is sent again',
      type: ReplayedDeliveryDto,
      example: REPLAYED_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [
      new PartnerNotFoundError(),
      new DeliveryNotFoundError(),
      new PostbackNotConfiguredError(),
      new PostbackDisabledError(),
      WRONG_ENVIRONMENT,
    ],
  })
  replay(
    @PathId('id') partnerId: string,
    @PathId('deliveryId') deliveryId: string,
    @Query() { environment }: EnvironmentQuery,
    @CurrentAct() act: Act,
  ): Promise<RelayedJson> {
    return this.postbacks.replayDelivery({ partnerId, environment }, deliveryId, act);
  }
}
