import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CurrentCaller,
  ListPostbackDeliveries,
  type PostbackDeliveryPage,
  type PostbackTestResult,
  type ReplayedPostbackDeliveries,
  type ReplayedPostbackDelivery,
  ReplayPostbackDeliveries,
  ServiceTokenGuard,
} from '@tandem/internal-api';
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

  @ApiOperation({ summary: "A page of a partner's deliveries with their attempts, newest first" })
  @Get('deliveries')
  list(@CurrentCaller() caller: Caller, @Query() query: ListPostbackDeliveries): Promise<PostbackDeliveryPage> {
    return this.log.listDeliveries(caller, query);
  }

  @ApiOperation({ summary: 'Sends the deliveries of a range of time again' })
  @Post('deliveries/replay')
  @HttpCode(202)
  async replayRange(
    @CurrentCaller() caller: Caller,
    @Body() body: ReplayPostbackDeliveries,
  ): Promise<ReplayedPostbackDeliveries> {
    return { count: await this.replays.replayRange(caller, body) };
  }

  @ApiOperation({ summary: 'Sends one delivery again, whatever became of it' })
  @Post('deliveries/:id/replay')
  @HttpCode(202)
  async replay(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ReplayedPostbackDelivery> {
    await this.replays.replayDelivery(caller, id);
    return { id };
  }

  @ApiOperation({ summary: 'Sends a sample now, and tells what came of it' })
  @Post('test')
  @HttpCode(200)
  test(@CurrentCaller() caller: Caller): Promise<PostbackTestResult> {
    return this.tests.sendTest(caller);
  }
}
