import { Body, Controller, Get, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CouponPage,
  CreateCoupons,
  CreatedCoupons,
  CurrentCaller,
  IDEMPOTENCY_REPLAYED,
  ListCoupons,
  ServiceTokenGuard,
  CouponCreationRunningError,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  InternalOperation,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { InvalidCursorError } from '@tandem/http-api';
import type { FastifyReply } from 'fastify';
import { CouponCreationService } from './coupon-creation.service';
import { CouponService } from './coupon.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('coupons')
@ApiBearerAuth()
@UseGuards(ServiceTokenGuard)
@Controller('internal/partners/:partnerId/:environment/coupons')
export class CouponController {
  constructor(
    private readonly coupons: CouponService,
    private readonly creations: CouponCreationService,
  ) {}

  @InternalOperation({
    summary: "A page of a group's coupons, newest first",
    answers: { 200: CouponPage },
    takes: 'query',
    failures: [new InvalidCursorError(), new VoucherGroupNotFoundError()],
  })
  @Get()
  list(@CurrentCaller() caller: Caller, @Query() query: ListCoupons): Promise<CouponPage> {
    return this.coupons.listCoupons(caller, query);
  }

  @InternalOperation({
    summary: 'Creates coupons, or answers again as it did to the same idempotency key',
    answers: { 201: CreatedCoupons },
    takes: 'body',
    failures: [
      new VoucherGroupNotFoundError(),
      new CouponCreationRunningError(),
      new IdempotentCreationRunningError(),
      new InsufficientStockError(),
      new IdempotencyKeyReusedError(),
    ],
  })
  @Post()
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateCoupons,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedCoupons> {
    const { answer, replayed } = await this.creations.createCoupons(caller, body);
    if (replayed) reply.header(IDEMPOTENCY_REPLAYED, 'true');
    return answer;
  }
}
