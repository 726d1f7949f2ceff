import { Body, Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Endpoint, ValidationFailedError } from '@tandem/http-api';
import {
  CouponCreationRunningError,
  CouponPage,
  couponsPath,
  type CreateCoupons,
  CreatedCoupons,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  IDEMPOTENCY_REPLAYED,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  ListCoupons,
  VoucherGroupList,
  VoucherGroupNotFoundError,
  voucherGroupsPath,
} from '@tandem/internal-api';
import type { FastifyReply } from 'fastify';
import { CurrentCall, type PartnerCall } from '../relay/current-call.decorator';
import { callOf, type RelayedJson } from '../relay/relay.client';
import { CurrentPartner, partners } from '../token/partner.access';
import type { AuthenticatedPartner } from '../token/token.repository';
import { VoucherClient } from './voucher.client';
import { CreateCouponsBody, CreateCouponsQuery, ListGroupsQuery } from './voucher.dto';
import { wantedCoupons } from './voucher.rules';

const GROUP_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/**
 * The error for an unknown parameter of the list of groups. The operation must declare this error, because the OpenAPI document lists it
 * automatically only for operations that have parameters or a body.
 */
const UNKNOWN_PARAMETER = new ValidationFailedError([
  { field: 'status', message: 'status is not a parameter of this list' },
]);

/** The maximum length of a group's id in a request. No group has a longer id, so a longer one is refused without a call to voucher-service. */
const LONGEST_ID = 255;

/** A partner's operations on vouchers. They are relayed to voucher-service. The answers about coupons contain codes, which are secrets. */
@ApiTags('Vouchers')
@Controller('api/v2/partner/subscription')
export class VoucherController {
  constructor(private readonly vouchers: VoucherClient) {}

  @Get('voucher-group')
  @Endpoint({
    access: partners({ kind: 'voucher', scope: 'vouchers:read' }),
    summary: 'List the voucher groups',
    description: 'The account’s groups that are active and have not expired.',
    answer: { description: 'The active groups', type: VoucherGroupList },
    errors: [UNKNOWN_PARAMETER],
    noStore: true,
    relayed: true,
  })
  listVoucherGroups(@CurrentCall() call: PartnerCall, @Query() _query: ListGroupsQuery): Promise<RelayedJson> {
    return this.vouchers.relay(200, 'GET', voucherGroupsPath, call);
  }

  @Get('vouchers')
  @Endpoint({
    access: partners({ kind: 'voucher', scope: 'vouchers:read' }),
    summary: 'List the coupons of a group',
    description:
      'Newest first. For the next page, pass `nextCursor` as `cursor` with the same group and status. Later pages are as fast as the first.',
    answer: { description: 'A page', type: CouponPage },
    errors: [VoucherGroupNotFoundError],
    noStore: true,
    relayed: true,
  })
  async listVouchers(@CurrentCall() call: PartnerCall, @Query() query: ListCoupons): Promise<RelayedJson> {
    if (query.voucherGroupId.length > LONGEST_ID) throw new VoucherGroupNotFoundError();
    return this.vouchers.relay(200, 'GET', couponsPath, call, { query: { ...query } });
  }

  @Post('vouchers')
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Stored for 24 hours: a repeat with the same key gets the first answer and creates no more coupons. After a failure, the key can be used again.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH },
  })
  @Endpoint({
    access: partners({ kind: 'voucher', scope: 'vouchers:create' }),
    summary: 'Create coupons',
    description:
      'Creates all coupons or none. Each token can run one creation at a time. Send an `Idempotency-Key`, so that a repeat after a lost answer creates no more coupons.',
    body: { examples: { twenty: { voucherGroupId: GROUP_ID, count: 20 }, theDefault: { voucherGroupId: GROUP_ID } } },
    answer: { status: 201, description: 'The coupons', type: CreatedCoupons },
    errors: [
      VoucherGroupNotFoundError,
      CouponCreationRunningError,
      InsufficientStockError,
      IdempotentCreationRunningError,
      IdempotencyKeyReusedError,
    ],
    headers: ['Idempotency-Replayed'],
    noStore: true,
    relayed: true,
  })
  async createVouchers(
    @CurrentPartner() { tokenId }: AuthenticatedPartner,
    @CurrentCall() call: PartnerCall,
    @Headers('idempotency-key') key: string | undefined,
    @Query() query: CreateCouponsQuery,
    @Body() given: CreateCouponsBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RelayedJson> {
    const wanted = wantedCoupons(given, query, key);
    const body: CreateCoupons = { ...wanted, tokenId };
    if (wanted.voucherGroupId.length > LONGEST_ID) throw new VoucherGroupNotFoundError();
    const { text, headers } = await this.vouchers.call([201], callOf('POST', couponsPath, call, { body }));
    if (headers[IDEMPOTENCY_REPLAYED] === 'true') reply.header('Idempotency-Replayed', 'true');
    return text;
  }
}
