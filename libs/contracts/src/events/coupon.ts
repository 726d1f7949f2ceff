import {
  ArrayMinSize,
  IsArray,
  IsIn,
  IsISO8601,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import type { EventDefinition } from './event-definition';
import { type Environment, ENVIRONMENTS } from './values';

/**
 * The common fields of every event about coupons. No event includes the code: everyone who has the code can redeem the
 * coupon, and events are kept, copied and read in many places.
 */
export class CouponReference {
  @IsString()
  @MinLength(1)
  voucherGroupId!: string;

  /** The batch in which the coupons were created. */
  @IsString()
  @MinLength(1)
  batchId!: string;

  @IsString()
  @MinLength(1)
  partnerId!: string;

  @IsIn(ENVIRONMENTS)
  environment!: Environment;
}

/** Data of `coupon.created`: a partner created coupons. One event per batch. */
export class CouponCreated extends CouponReference {
  /** The ids of all coupons of the batch, newest first. */
  @IsArray()
  @ArrayMinSize(1)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  couponIds!: string[];

  @IsISO8601({ strict: true })
  createdAt!: string;

  /** When the coupons expire; absent when they do not expire. */
  @IsOptional()
  @IsISO8601({ strict: true })
  expiresAt?: string;
}

/** Data of `coupon.redeemed`: a customer paid with the coupon. Published once per coupon. */
export class CouponRedeemed extends CouponReference {
  @IsString()
  @MinLength(1)
  couponId!: string;

  /** The last four characters of the code, for people who need to recognize the code but must not use it. */
  @Matches(/^[A-HJ-NP-Z2-9]{4}$/)
  codeLast4!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(255)
  subscriptionId!: string;

  /** When the customer paid. */
  @IsISO8601({ strict: true })
  redeemedAt!: string;
}

/** Published by voucher-service. The message key is the voucher group. */
export const COUPON_CREATED: EventDefinition<CouponCreated> = {
  topic: 'coupon.created',
  data: CouponCreated,
  keyOf: (data) => data.voucherGroupId,
};

/** Published by voucher-service. The message key is the voucher group. */
export const COUPON_REDEEMED: EventDefinition<CouponRedeemed> = {
  topic: 'coupon.redeemed',
  data: CouponRedeemed,
  keyOf: (data) => data.voucherGroupId,
};
