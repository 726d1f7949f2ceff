import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  type Caller,
  CountPostbackReplay,
  CurrentCaller,
  ListenToPostbacks,
  ListPostbackDeliveries,
  PostbackDeliveryPage,
  PostbackReplayCount,
  PostbackRequestPage,
  PostbackTestResult,
  ReplayedPostbackDeliveries,
  ReplayedPostbackDelivery,
  PostbacksOfSales,
  ReplayPostbackDeliveries,
  SalePostbacks,
  APPS_FOR_PARTNER,
  DeliveryNotFoundError,
  PostbackDisabledError,
  PostbackNotConfiguredError,
  SaleClosedError,
} from '@tandem/internal-api';
import { DeliveryLogService } from './delivery-log.service';
import { PostbackRequestService } from './postback-request.service';
import { ReplayService } from './replay.service';
import { TestSendService } from './test-send.service';

/** Internal API for partner-gateway, which has authenticated and authorized its caller. The edge never exposes this API. */
@ApiTags('delivery log')
@Controller('internal/postback-configurations/:partnerId/:environment')
export class DeliveryLogController {
  constructor(
    private readonly log: DeliveryLogService,
    private readonly replays: ReplayService,
    private readonly tests: TestSendService,
    private readonly requests: PostbackRequestService,
  ) {}

  @Get('deliveries')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'List a partner’s deliveries with their attempts, newest first',
    answer: { type: PostbackDeliveryPage },
  })
  listDeliveries(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPostbackDeliveries,
  ): Promise<PostbackDeliveryPage> {
    return this.log.listDeliveries(caller, query);
  }

  @Get('requests')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'List the requests of a partner’s deliveries, oldest first, for listening',
    answer: { type: PostbackRequestPage },
  })
  listRequests(@CurrentCaller() caller: Caller, @Query() query: ListenToPostbacks): Promise<PostbackRequestPage> {
    return this.requests.listRequests(caller, query);
  }

  @Post('deliveries/of-sales')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'List the postbacks of the given sales of a partner',
    answer: { status: 200, type: SalePostbacks },
  })
  findOfSales(@CurrentCaller() caller: Caller, @Body() { oids }: PostbacksOfSales): Promise<SalePostbacks> {
    return this.log.findOfSales(caller, oids);
  }

  @Get('deliveries/replay')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Count the deliveries that the replay of a time range would send',
    answer: { type: PostbackReplayCount },
  })
  async countReplay(
    @CurrentCaller() caller: Caller,
    @Query() query: CountPostbackReplay,
  ): Promise<PostbackReplayCount> {
    return { count: await this.replays.countReplay(caller, query) };
  }

  @Post('deliveries/replay')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Replay the deliveries of a time range',
    answer: { status: 202, type: ReplayedPostbackDeliveries },
    errors: [PostbackNotConfiguredError, PostbackDisabledError],
  })
  async replayRange(
    @CurrentCaller() caller: Caller,
    @Body() body: ReplayPostbackDeliveries,
  ): Promise<ReplayedPostbackDeliveries> {
    return { count: await this.replays.replayRange(caller, body) };
  }

  @Post('deliveries/:id/replay')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Replay one delivery of any status, unless its sale was closed',
    answer: { status: 202, type: ReplayedPostbackDelivery },
    errors: [DeliveryNotFoundError, PostbackNotConfiguredError, PostbackDisabledError, SaleClosedError],
  })
  async replayDelivery(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ReplayedPostbackDelivery> {
    await this.replays.replayDelivery(caller, id);
    return { id };
  }

  @Post('test')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Send a sample immediately and return the result',
    answer: { status: 200, type: PostbackTestResult },
    errors: [PostbackNotConfiguredError],
  })
  sendTest(@CurrentCaller() caller: Caller): Promise<PostbackTestResult> {
    return this.tests.sendTest(caller);
  }
}
