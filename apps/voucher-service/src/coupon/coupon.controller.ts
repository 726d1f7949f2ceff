import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CouponPage,
  CreateCoupons,
  CreatedCoupons,
  CurrentCaller,
  IDEMPOTENCY_REPLAYED,
  ListCoupons,
  APPS_FOR_PARTNER,
  CouponCreationRunningError,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { Endpoint } from '@tandem/http-api';
import type { FastifyReply } from 'fastify';
import { CouponCreationService } from './coupon-creation.service';
import { CouponService } from './coupon.service';

/** Internal API that partner-gateway calls after it has authenticated and authorized its own caller. The edge never exposes this API. */
@ApiTags('coupons')
@Controller('internal/partners/:partnerId/:environment/coupons')
export class CouponController {
  constructor(
    private readonly coupons: CouponService,
    private readonly creations: CouponCreationService,
  ) {}

  @Get()
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'List the coupons of a group, newest first',
    answer: { type: CouponPage },
    errors: [VoucherGroupNotFoundError],
  })
  listCoupons(@CurrentCaller() caller: Caller, @Query() query: ListCoupons): Promise<CouponPage> {
    return this.coupons.listCoupons(caller, query);
  }

  @Post()
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Create coupons, or return the earlier answer to the same idempotency key',
    answer: { status: 201, type: CreatedCoupons },
    errors: [
      VoucherGroupNotFoundError,
      CouponCreationRunningError,
      IdempotentCreationRunningError,
      InsufficientStockError,
      IdempotencyKeyReusedError,
    ],
  })
  async createCoupons(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateCoupons,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedCoupons> {
    const { answer, replayed } = await this.creations.createCoupons(caller, body);
    if (replayed) reply.header(IDEMPOTENCY_REPLAYED, 'true');
    return answer;
  }
}
