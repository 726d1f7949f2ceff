import { Body, Controller, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CurrentCaller,
  ListPostbackDeliveries,
  PostbackDeliveryPage,
  PostbackTestResult,
  ReplayedPostbackDeliveries,
  ReplayedPostbackDelivery,
  ReplayPostbackDeliveries,
  ServiceTokenGuard,
  DeliveryNotFoundError,
  InternalOperation,
  PostbackDisabledError,
  PostbackNotConfiguredError,
  SaleClosedError,
} from '@tandem/internal-api';
import { InvalidCursorError } from '@tandem/http-api';
import { DeliveryLogService } from './delivery-log.service';
import { ReplayService } from './replay.service';
import { TestSendService } from './test-send.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('delivery log')
@ApiBearerAuth()
@UseGuards(ServiceTokenGuard)
@Controller('internal/postback-configurations/:partnerId/:environment')
export class DeliveryLogController {
  constructor(
    private readonly log: DeliveryLogService,
    private readonly replays: ReplayService,
    private readonly tests: TestSendService,
  ) {}

  @InternalOperation({
    summary: "A page of a partner's deliveries with their attempts, newest first",
    answers: { 200: PostbackDeliveryPage },
    takes: 'query',
    failures: [new InvalidCursorError()],
  })
  @Get('deliveries')
  list(@CurrentCaller() caller: Caller, @Query() query: ListPostbackDeliveries): Promise<PostbackDeliveryPage> {
    return this.log.listDeliveries(caller, query);
  }

  @InternalOperation({
    summary: 'Sends the deliveries of a range of time again',
    answers: { 202: ReplayedPostbackDeliveries },
    takes: 'body',
    failures: [new PostbackNotConfiguredError(), new PostbackDisabledError()],
  })
  @Post('deliveries/replay')
  async replayRange(
    @CurrentCaller() caller: Caller,
    @Body() body: ReplayPostbackDeliveries,
  ): Promise<ReplayedPostbackDeliveries> {
    return { count: await this.replays.replayRange(caller, body) };
  }

  @InternalOperation({
    summary: 'Sends one delivery again, whatever became of it, unless its sale was closed',
    answers: { 202: ReplayedPostbackDelivery },
    failures: [
      new DeliveryNotFoundError(),
      new PostbackNotConfiguredError(),
      new PostbackDisabledError(),
      new SaleClosedError(),
    ],
  })
  @Post('deliveries/:id/replay')
  async replay(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ReplayedPostbackDelivery> {
    await this.replays.replayDelivery(caller, id);
    return { id };
  }

  @InternalOperation({
    summary: 'Sends a sample now, and tells what came of it',
    answers: { 200: PostbackTestResult },
    failures: [new PostbackNotConfiguredError()],
  })
  @Post('test')
  test(@CurrentCaller() caller: Caller): Promise<PostbackTestResult> {
    return this.tests.sendTest(caller);
  }
}
