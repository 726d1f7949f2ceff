import { Body, Controller, Get, Header, Headers, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { type RelayedJson, VoucherClient } from './voucher.client';
import {
  CouponPageDto,
  CreateCouponsBody,
  CreateCouponsQuery,
  CreatedCouponsDto,
  ListCouponsQuery,
  VoucherGroupListDto,
} from './voucher.dto';
import { idempotencyKeyOf, wantedCoupons } from './voucher.rules';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The partner's side of vouchers. Answers are passed on as voucher-service wrote them, without reading them: a page of coupons
 * is large. Codes are secrets, so nothing in between may keep them.
 */
@ApiTags('partner')
@Controller('api/v2/partner/subscription')
export class VoucherController {
  constructor(private readonly vouchers: VoucherClient) {}

  @Get('voucher-group')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @ApiOkResponse({ type: VoucherGroupListDto })
  @PartnerAccess({ kind: 'voucher', scope: 'vouchers:read' })
  listGroups(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<RelayedJson> {
    return this.vouchers.listGroups({ partnerId, environment, requestId });
  }

  @Get('vouchers')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @ApiOkResponse({ type: CouponPageDto })
  @PartnerAccess({ kind: 'voucher', scope: 'vouchers:read' })
  list(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
    @Query() query: ListCouponsQuery,
  ): Promise<RelayedJson> {
    return this.vouchers.listCoupons({ partnerId, environment, requestId }, query);
  }

  @Post('vouchers')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @ApiHeader({ name: 'Idempotency-Key', required: false, schema: { type: 'string', minLength: 1, maxLength: 255 } })
  @ApiCreatedResponse({ type: CreatedCouponsDto })
  @PartnerAccess({ kind: 'voucher', scope: 'vouchers:create' })
  async create(
    @CurrentPartner() { partnerId, environment, tokenId }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
    @Headers('idempotency-key') key: string | undefined,
    @Query() query: CreateCouponsQuery,
    @Body() body: CreateCouponsBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RelayedJson> {
    const wanted = wantedCoupons(body, query);
    const caller = { partnerId, environment, requestId, tokenId, idempotencyKey: idempotencyKeyOf(key) };
    const { json, replayed } = await this.vouchers.createCoupons(caller, wanted);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return json;
  }
}
