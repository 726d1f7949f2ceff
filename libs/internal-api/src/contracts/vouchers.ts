import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import {
  EnumField,
  IdField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  ObjectField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';

/*
 * Internal HTTP between partner-gateway (caller) and voucher-service (owner of voucher groups and coupons). Paths are never on
 * the edge; calls carry a service token (audience `voucher-service`). Errors come as problem+json with the codes of the
 * partner API. What the partner sees is relayed as it comes: the answers here are the answers of the partner API.
 */

/** `GET`: the active groups of a partner. */
export const voucherGroupsPath = (partnerId: string, environment: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/${environment}/voucher-groups`;

/** `GET` with {@link ListCoupons}: a page. `POST` with {@link CreateCoupons}: 201. */
export const couponsPath = (partnerId: string, environment: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/${environment}/coupons`;

/** For partner managers. `GET` with {@link ListManagedVoucherGroups}; `POST` with {@link CreateVoucherGroup}: 201. */
export const managedVoucherGroupsPath = (partnerId: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/voucher-groups`;

/** For partner managers. `PATCH` with {@link ChangeVoucherGroup}: {@link VoucherGroupChange}. */
export const managedVoucherGroupPath = (groupId: string): string =>
  `/internal/voucher-groups/${encodeURIComponent(groupId)}`;

/** All but `active` are final. */
export const COUPON_STATUSES = ['active', 'redeemed', 'expired', 'revoked'] as const;
export type CouponStatus = (typeof COUPON_STATUSES)[number];

export const VOUCHER_GROUP_STATUSES = ['active', 'inactive'] as const;
export type VoucherGroupStatus = (typeof VOUCHER_GROUP_STATUSES)[number];

/** A code as people see it. */
const SHOWN_CODE = /^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){3}$/;
const CURRENCY = /^[A-Z]{3}$/;
const MAX_STOCK = 2_000_000_000;

/** What a coupon grants. */
export class VoucherProduct {
  @TextField({ min: 1, max: 200, storable: true, example: 'Advanced, 1 year' })
  name!: string;

  @TextField({ max: 200, storable: true, example: 'advanced', description: 'Empty when there is none' })
  tier!: string;

  @IntegerField({ min: 1, max: 1200, example: 12 })
  periodMonths!: number;
}

/** What a partner sees of a voucher group. */
@ApiSchema({ name: 'VoucherGroup' })
export class VoucherGroupView {
  @IdField({ description: 'The `voucherGroupId` of the other requests' })
  id!: string;

  @TextField({ min: 1, example: 'Spring campaign' })
  name!: string;

  @EnumField(VOUCHER_GROUP_STATUSES)
  status!: VoucherGroupStatus;

  @ObjectField(() => VoucherProduct)
  product!: VoucherProduct;

  @TextField({ pattern: CURRENCY, example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @IntegerField({ min: 0, example: 120, description: 'How many coupons were made' })
  issued!: number;

  @IntegerField({ min: 0, example: 40 })
  redeemed!: number;

  @IntegerField({ min: 0, nullable: true, example: 880, description: 'How many more can be made; null: any number' })
  remaining!: number | null;

  @TimeField()
  validFrom!: string;

  @TimeField({ nullable: true, description: 'Then its active coupons expire' })
  validUntil!: string | null;

  @TimeField()
  createdAt!: string;
}

/** The answer to a partner's question for its groups. */
export class VoucherGroupList {
  @ListField(() => VoucherGroupView)
  items!: VoucherGroupView[];
}

/** What a partner manager sees of a voucher group. */
@ApiSchema({ name: 'ManagedVoucherGroup' })
export class ManagedVoucherGroupView extends VoucherGroupView {
  @TextField({ min: 1, example: 'ptn_7c9e6679742540de944be07fc1f90ae7' })
  partnerId!: string;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @IntegerField({ min: 0, nullable: true, example: 1000, description: 'How many can be made in all; null: any number' })
  stock!: number | null;
}

/** One group of a manager's list, with its place in the list. */
export class ListedVoucherGroup extends ManagedVoucherGroupView {
  /** Pass the last one as `before` for what follows. */
  @TextField({ pattern: /^\d{1,19}$/ })
  seq!: string;
}

/** Newest first. */
export class ManagedVoucherGroupList {
  @ListField(() => ListedVoucherGroup)
  items!: ListedVoucherGroup[];
}

/** Query of a manager's list. */
export class ListManagedVoucherGroups {
  @TextField({ optional: true, pattern: /^\d{1,19}$/ })
  before?: string;

  @IntegerField({ min: 1, max: 1000, optional: true, fromText: true, default: 50 })
  limit = 50;
}

/** A new group. The caller chooses its id, so that a repeat with the same id changes nothing. */
export class CreateVoucherGroup {
  @IdField()
  id!: string;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @TextField({ min: 1, max: 200, storable: true })
  name!: string;

  @EnumField(VOUCHER_GROUP_STATUSES)
  status!: VoucherGroupStatus;

  @ObjectField(() => VoucherProduct)
  product!: VoucherProduct;

  @TextField({ pattern: CURRENCY })
  currency!: string;

  @IntegerField({ min: 0, max: MAX_STOCK, nullable: true })
  stock!: number | null;

  @TimeField()
  validFrom!: string;

  @TimeField({ nullable: true })
  validUntil!: string | null;
}

/** What of a group can be changed. Its times cannot: an expired group stays expired. */
@ApiSchema({ name: 'ChangeVoucherGroupBody' })
export class ChangeVoucherGroup {
  @EnumField(VOUCHER_GROUP_STATUSES, { optional: true })
  status?: VoucherGroupStatus;

  @IntegerField({
    min: 0,
    max: MAX_STOCK,
    optional: true,
    nullable: true,
    description: 'Not less than issued; null: any number',
  })
  stock?: number | null;
}

/** The answer to a change. */
export class VoucherGroupChange {
  @ObjectField(() => ManagedVoucherGroupView)
  before!: ManagedVoucherGroupView;

  @ObjectField(() => ManagedVoucherGroupView)
  after!: ManagedVoucherGroupView;
}

/** What a partner sees of a coupon: the code is whole, for its owner only. */
@ApiSchema({ name: 'Coupon' })
export class CouponView {
  @IdField({ example: '550e8400-e29b-41d4-a716-446655440000' })
  id!: string;

  @TextField({
    pattern: SHOWN_CODE,
    example: 'ABCD-EFGH-JKLM-NPQR',
    description: 'Hyphens and case do not matter to redeem it',
  })
  code!: string;

  @IdField()
  voucherGroupId!: string;

  @EnumField(COUPON_STATUSES)
  status!: CouponStatus;

  @IdField({ example: '6ba7b810-9dad-41d1-80b4-00c04fd430c8', description: 'The creation that it comes from' })
  batchId!: string;

  @TimeField()
  createdAt!: string;

  @TimeField({ nullable: true })
  expiresAt!: string | null;

  @TimeField({ nullable: true })
  redeemedAt!: string | null;
}

/** Query of a page of coupons. */
@KnownParametersOnly()
export class ListCoupons {
  @TextField({ min: 1, description: '`id` of a voucher group' })
  voucherGroupId!: string;

  @TextField({
    optional: true,
    description: '`nextCursor` of the page before; good for the same group and status only',
  })
  cursor?: string;

  @EnumField(COUPON_STATUSES, { optional: true })
  status?: CouponStatus;

  /** voucher-service knows the default and the most. */
  @IntegerField({ min: 1, optional: true, fromText: true, schema: { maximum: 500 }, default: 100 })
  limit?: number;
}

export class CouponPage extends PageOf(CouponView) {}

/** Header of an answer that an earlier request with the same `Idempotency-Key` was given. */
export const IDEMPOTENCY_REPLAYED = 'idempotency-replayed';
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** A partner's request for coupons. */
export class CreateCoupons {
  @TextField({ min: 1 })
  voucherGroupId!: string;

  /** The requested number, null when the partner gave none: voucher-service decides how many are created. */
  @IntegerField({ min: 1, nullable: true })
  requestedCount!: number | null;

  /** The id of the partner token: one creation runs at a time for each. */
  @TextField({ min: 1, max: 255, storable: true })
  tokenId!: string;

  @TextField({ min: 1, max: IDEMPOTENCY_KEY_MAX_LENGTH, storable: true, optional: true, nullable: true })
  idempotencyKey?: string | null;
}

/** The answer to a creation. */
export class CreatedCoupons {
  @IdField({ example: '6ba7b810-9dad-41d1-80b4-00c04fd430c8' })
  batchId!: string;

  @IntegerField({ min: 1, nullable: true, example: 1, description: 'What was asked for; null when nothing was said' })
  requestedCount!: number | null;

  @IntegerField({ min: 1, description: 'How many were made' })
  count!: number;

  @ListField(() => CouponView)
  items!: CouponView[];
}
