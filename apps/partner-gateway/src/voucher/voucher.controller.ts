import { Body, Controller, Get, Header, Headers, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import {
  CouponCreationRunningError,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  InvalidCursorError,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PartnerOperation } from '../openapi/operation.decorators';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { type RelayedJson, VoucherClient } from './voucher.client';
import { COUPON_PAGE_EXAMPLE, CREATED_COUPONS_EXAMPLE, GROUP_ID, VOUCHER_GROUPS_EXAMPLE } from './voucher.examples';
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
@Controller('api/v2/partner/subscription')
export class VoucherController {
  constructor(private readonly vouchers: VoucherClient) {}

  @Get('voucher-group')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @PartnerOperation({
    id: 'listVoucherGroups',
    tag: 'Vouchers',
    summary: 'List the voucher groups',
    description: 'The active groups of the account: what coupons can be made of.',
    success: {
      description: 'All groups',
      type: VoucherGroupListDto,
      example: VOUCHER_GROUPS_EXAMPLE,
      headers: ['Cache-Control'],
    },
  })
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
  @PartnerOperation({
    id: 'listVouchers',
    tag: 'Vouchers',
    summary: 'List the coupons of a group',
    description:
      'Newest first. Pass `nextCursor` as `cursor` for the next page, with the same group and status; a deep page costs what the first costs.',
    success: { description: 'A page', type: CouponPageDto, example: COUPON_PAGE_EXAMPLE, headers: ['Cache-Control'] },
    failures: [
      new InvalidCursorError(),
      new VoucherGroupNotFoundError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 500' }]),
    ],
  })
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
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Kept for 24 hours: a repeat with it gets the first answer, and makes no more coupons. After a failure it can be used again.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH },
  })
  @PartnerOperation({
    id: 'createVouchers',
    tag: 'Vouchers',
    summary: 'Create coupons',
    description:
      'All or none. One creation of a token runs at a time. Send an `Idempotency-Key`, so that a repeat after a lost answer makes no more.',
    body: {
      type: CreateCouponsBody,
      required: false,
      examples: { twenty: { voucherGroupId: GROUP_ID, count: 20 }, theDefault: { voucherGroupId: GROUP_ID } },
    },
    success: {
      status: 201,
      description: 'The coupons',
      type: CreatedCouponsDto,
      example: CREATED_COUPONS_EXAMPLE,
      headers: ['Cache-Control', 'Idempotency-Replayed'],
    },
    failures: [
      new VoucherGroupNotFoundError(),
      new CouponCreationRunningError(),
      new InsufficientStockError(),
      new IdempotentCreationRunningError(),
      new ValidationFailedError([{ field: 'count', message: 'count must be a whole number of 1 or more' }]),
      new IdempotencyKeyReusedError(),
    ],
  })
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
