import { ApiSchema } from '@nestjs/swagger';
import {
  EnumField,
  IdField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';

/*
 * Internal HTTP for coupons, between partner-gateway (caller) and voucher-service (owner): see vouchers.ts.
 */

/** `GET` with {@link ListCoupons}: a page. `POST` with {@link CreateCoupons}: 201. */
export const couponsPath = (partnerId: string, environment: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/${environment}/coupons`;

/**
 * The statuses of a coupon. `redeemed` and `revoked` are final. An `expired` coupon can still become `redeemed`, by a payment
 * that was made before the expiry.
 */
export const COUPON_STATUSES = ['active', 'redeemed', 'expired', 'revoked'] as const;
export type CouponStatus = (typeof COUPON_STATUSES)[number];

/** The displayed form of a code. */
const SHOWN_CODE = /^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){3}$/;

/** What a partner sees of its own coupon, including the whole code. */
@ApiSchema({ name: 'Coupon' })
export class CouponView {
  @IdField({ example: '550e8400-e29b-41d4-a716-446655440000' })
  id!: string;

  @TextField({
    pattern: SHOWN_CODE,
    example: 'ABCD-EFGH-JKLM-NPQR',
    description: 'Hyphens and case are ignored when the coupon is redeemed',
  })
  code!: string;

  @IdField()
  voucherGroupId!: string;

  @EnumField(COUPON_STATUSES)
  status!: CouponStatus;

  @IdField({ example: '6ba7b810-9dad-41d1-80b4-00c04fd430c8', description: 'The request that created the coupon' })
  batchId!: string;

  @TimeField()
  createdAt!: string;

  @TimeField({ nullable: true })
  expiresAt!: string | null;

  @TimeField({ nullable: true })
  redeemedAt!: string | null;
}

/** The query that selects a page of coupons. */
@KnownParametersOnly()
export class ListCoupons {
  @TextField({ min: 1, description: '`id` of a voucher group' })
  voucherGroupId!: string;

  @TextField({
    optional: true,
    description: '`nextCursor` of the previous page; valid only with the same group and status',
  })
  cursor?: string;

  @EnumField(COUPON_STATUSES, { optional: true })
  status?: CouponStatus;

  /** voucher-service decides the default and the maximum. */
  @IntegerField({ min: 1, optional: true, fromText: true, schema: { maximum: 500 }, default: 100 })
  limit?: number;
}

export class CouponPage extends PageOf(CouponView) {}

/** Header of an answer that repeats the answer to an earlier request with the same `Idempotency-Key`. */
export const IDEMPOTENCY_REPLAYED = 'idempotency-replayed';
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** A partner's request for coupons. */
export class CreateCoupons {
  @TextField({ min: 1 })
  voucherGroupId!: string;

  /** How many coupons the partner requests; null if the partner gave no number. voucher-service decides how many are created. */
  @IntegerField({ min: 1, nullable: true })
  requestedCount!: number | null;

  /** The id of the partner token: each token can run one creation at a time. */
  @TextField({ min: 1, max: 255, storable: true })
  tokenId!: string;

  @TextField({ min: 1, max: IDEMPOTENCY_KEY_MAX_LENGTH, storable: true, optional: true, nullable: true })
  idempotencyKey?: string | null;
}

/** The answer to {@link CreateCoupons}. */
export class CreatedCoupons {
  @IdField({ example: '6ba7b810-9dad-41d1-80b4-00c04fd430c8' })
  batchId!: string;

  @IntegerField({
    min: 1,
    nullable: true,
    example: 1,
    description: 'The `count` of the request. Null when it was omitted',
  })
  requestedCount!: number | null;

  @IntegerField({ min: 1, description: 'Number of coupons created' })
  count!: number;

  @ListField(() => CouponView)
  items!: CouponView[];
}
