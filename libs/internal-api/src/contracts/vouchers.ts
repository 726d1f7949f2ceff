import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  NotContains,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';

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

const NotNull = (): PropertyDecorator => ValidateIf((_object: object, value: unknown) => value !== null);

/** What a coupon is good for. */
export class VoucherProduct {
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  @NotContains('\0')
  name!: string;

  /** Empty when there is none. */
  @IsString()
  @MaxLength(200)
  @NotContains('\0')
  tier!: string;

  @IsInt()
  @Min(1)
  @Max(1200)
  periodMonths!: number;
}

/** What a partner sees of a voucher group. */
export class VoucherGroupView {
  @IsUUID()
  id!: string;

  @IsString()
  @MinLength(1)
  name!: string;

  @IsIn(VOUCHER_GROUP_STATUSES)
  status!: VoucherGroupStatus;

  @IsObject()
  @ValidateNested()
  @Type(() => VoucherProduct)
  product!: VoucherProduct;

  @Matches(/^[A-Z]{3}$/)
  currency!: string;

  /** How many coupons were made. */
  @IsInt()
  @Min(0)
  issued!: number;

  @IsInt()
  @Min(0)
  redeemed!: number;

  /** How many more can be made; null when there is no stock that could run out. */
  @NotNull()
  @IsInt()
  @Min(0)
  remaining!: number | null;

  @IsISO8601({ strict: true })
  validFrom!: string;

  /** Coupons that are not redeemed expire then; null when they do not. */
  @NotNull()
  @IsISO8601({ strict: true })
  validUntil!: string | null;

  @IsISO8601({ strict: true })
  createdAt!: string;
}

/** The answer to a partner's question for its groups. */
export class VoucherGroupList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => VoucherGroupView)
  items!: VoucherGroupView[];
}

/** What a partner manager sees of a voucher group. */
export class ManagedVoucherGroupView extends VoucherGroupView {
  @IsString()
  @MinLength(1)
  partnerId!: string;

  @IsIn(ENVIRONMENTS)
  environment!: Environment;

  @NotNull()
  @IsInt()
  @Min(0)
  stock!: number | null;
}

/** One group of a manager's list, with its place in the list. */
export class ListedVoucherGroup extends ManagedVoucherGroupView {
  /** Pass the last one as `before` for what follows. */
  @Matches(/^\d{1,19}$/)
  seq!: string;
}

/** Newest first. */
export class ManagedVoucherGroupList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ListedVoucherGroup)
  items!: ListedVoucherGroup[];
}

/** Query of a manager's list. */
export class ListManagedVoucherGroups {
  @IsOptional()
  @Matches(/^\d{1,19}$/)
  before?: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit = 50;
}

/** A new group. The caller chooses its id, so that it can be noted down before: a repeat with it changes nothing. */
export class CreateVoucherGroup {
  @IsUUID()
  id!: string;

  @IsIn(ENVIRONMENTS)
  environment!: Environment;

  @IsString()
  @MinLength(1)
  @MaxLength(200)
  @NotContains('\0')
  name!: string;

  @IsIn(VOUCHER_GROUP_STATUSES)
  status!: VoucherGroupStatus;

  @IsObject()
  @ValidateNested()
  @Type(() => VoucherProduct)
  product!: VoucherProduct;

  @Matches(/^[A-Z]{3}$/)
  currency!: string;

  @NotNull()
  @IsInt()
  @Min(0)
  @Max(2_000_000_000)
  stock!: number | null;

  @IsISO8601({ strict: true })
  validFrom!: string;

  @NotNull()
  @IsISO8601({ strict: true })
  validUntil!: string | null;
}

/** What of a group can be changed. Its times cannot: what has expired stays so. */
export class ChangeVoucherGroup {
  @ValidateIf((_object: object, value: unknown) => value !== undefined)
  @IsIn(VOUCHER_GROUP_STATUSES)
  status?: VoucherGroupStatus;

  /** Not less than was issued; null takes the limit away. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2_000_000_000)
  stock?: number | null;
}

/** The answer to a change. */
export class VoucherGroupChange {
  @IsObject()
  @ValidateNested()
  @Type(() => ManagedVoucherGroupView)
  before!: ManagedVoucherGroupView;

  @IsObject()
  @ValidateNested()
  @Type(() => ManagedVoucherGroupView)
  after!: ManagedVoucherGroupView;
}

/** What a partner sees of a coupon: the code is whole, for its owner only. */
export class CouponView {
  @IsUUID()
  id!: string;

  @Matches(SHOWN_CODE)
  code!: string;

  @IsUUID()
  voucherGroupId!: string;

  @IsIn(COUPON_STATUSES)
  status!: CouponStatus;

  @IsUUID()
  batchId!: string;

  @IsISO8601({ strict: true })
  createdAt!: string;

  @NotNull()
  @IsISO8601({ strict: true })
  expiresAt!: string | null;

  @NotNull()
  @IsISO8601({ strict: true })
  redeemedAt!: string | null;
}

/** Query of a page of coupons. */
export class ListCoupons {
  @IsString()
  @MinLength(1)
  voucherGroupId!: string;

  @IsOptional()
  @IsString()
  cursor?: string;

  @IsOptional()
  @IsIn(COUPON_STATUSES)
  status?: CouponStatus;

  /** voucher-service knows the default and the most. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  limit?: number;
}

/** Newest first. */
export class CouponPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => CouponView)
  items!: CouponView[];

  /** Null on the last page. */
  @NotNull()
  @IsString()
  @MinLength(1)
  nextCursor!: string | null;

  @IsBoolean()
  hasMore!: boolean;
}

/** Header of an answer that an earlier request with the same `Idempotency-Key` was given. */
export const IDEMPOTENCY_REPLAYED = 'idempotency-replayed';
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** A partner's wish for coupons. */
export class CreateCoupons {
  @IsString()
  @MinLength(1)
  voucherGroupId!: string;

  /** What the partner asked for, null when it did not say: how many that makes is for voucher-service to decide. */
  @NotNull()
  @IsInt()
  @Min(1)
  requestedCount!: number | null;

  /** The id of the partner token: one creation runs at a time for each. */
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  @NotContains('\0')
  tokenId!: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(IDEMPOTENCY_KEY_MAX_LENGTH)
  @NotContains('\0')
  idempotencyKey?: string | null;
}

/** The answer to a creation. */
export class CreatedCoupons {
  @IsUUID()
  batchId!: string;

  @NotNull()
  @IsNumber()
  @Min(1)
  requestedCount!: number | null;

  @IsInt()
  @Min(1)
  count!: number;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => CouponView)
  items!: CouponView[];
}
