import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import type { EventDefinition } from './event-definition';
import { DECIMAL_STRING, type Environment, ENVIRONMENTS } from './values';

/** The payment events of the billing provider that the platform handles. */
export const PAYMENT_TYPES = [
  'subscription.purchased',
  'subscription.renewed',
  'subscription.cancelled',
  'subscription.expired',
  'subscription.refunded',
  'subscription.charged_back',
  'subscription.plan_changed',
  'coupon.redeemed',
] as const;
export type PaymentType = (typeof PAYMENT_TYPES)[number];

/** HMAC-SHA-256, hex. */
const KEYED_HASH = /^[0-9a-f]{64}$/;

/** The buyer. The full e-mail address stays in webhook-ingest: events carry it masked, with a keyed hash for comparison. */
export class PaymentCustomer {
  @IsOptional()
  @IsString()
  krn?: string;

  /** The masked address, for example `j***e@example.com`. */
  @IsOptional()
  @IsString()
  @MaxLength(320)
  emailMasked?: string;

  /** HMAC-SHA-256, hex, of the address in its comparable form: the usual spellings of one mailbox have the same hash. */
  @IsOptional()
  @Matches(KEYED_HASH)
  emailHash?: string;
}

export class PurchaseItem {
  @Matches(DECIMAL_STRING)
  price!: string;

  @IsInt()
  @Min(1)
  quantity!: number;

  @IsString()
  @MaxLength(500)
  category!: string;

  @IsOptional()
  @IsString()
  @MaxLength(200)
  tier?: string;
}

/** Why the token of a checkout URL was refused. */
export const CHECKOUT_FAULTS = ['token_forged', 'token_expired'] as const;
export type CheckoutFault = (typeof CHECKOUT_FAULTS)[number];

/**
 * The content of a checkout URL's token. webhook-ingest has verified that the token was valid at the time of the
 * purchase.
 */
export class PurchaseCheckout {
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  partnerId!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(255)
  promotionId!: string;

  @IsIn(ENVIRONMENTS)
  environment!: Environment;

  /** The partner's `ref_id`, if there was one. */
  @IsOptional()
  @IsString()
  @MaxLength(8192)
  refId?: string;
}

/** What attributes the purchase to a partner, as the checkout recorded it. */
export class PurchaseAttribution {
  /** The content of the token; absent if there was no token, or if it was refused. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => PurchaseCheckout)
  checkout?: PurchaseCheckout;

  /** Why the token was refused; absent if it was not refused. */
  @IsOptional()
  @IsIn(CHECKOUT_FAULTS)
  checkoutFault?: CheckoutFault;

  /**
   * @deprecated No longer published, because everyone who has the token could reuse it. `checkout` has the token's
   *   content. Older events contain the token.
   */
  @IsOptional()
  @IsString()
  @MaxLength(8192)
  checkoutToken?: string;

  @IsOptional()
  @IsString()
  @MaxLength(200)
  promotionCode?: string;

  @IsOptional()
  @IsString()
  @MaxLength(1024)
  data4?: string;
}

/** The details of a purchase, which only `subscription.purchased` has. */
export class Purchase {
  @Matches(/^[A-Z]{3}$/)
  currency!: string;

  @Matches(DECIMAL_STRING)
  amount!: string;

  @IsIn(['captured', 'pending', 'failed'])
  paymentStatus!: 'captured' | 'pending' | 'failed';

  @IsBoolean()
  firstPayment!: boolean;

  @IsArray()
  @ArrayMaxSize(1000)
  // Nested validation alone accepts an empty array as a valid object.
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => PurchaseItem)
  items!: PurchaseItem[];

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => PurchaseAttribution)
  attribution?: PurchaseAttribution;

  /** The hash of the coupon's code, see {@link couponHash}; absent when the purchase had no coupon. */
  @IsOptional()
  @Matches(KEYED_HASH)
  couponHash?: string;
}

/** Data of `payment.received`: one accepted webhook of the billing provider. */
export class PaymentReceived {
  /** The provider's own id of the webhook, the same for duplicates. */
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  paymentId!: string;

  @IsIn(PAYMENT_TYPES)
  type!: PaymentType;

  /** The provider's timestamp: the time of the sale or of the change. */
  @IsISO8601({ strict: true })
  occurredAt!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(255)
  subscriptionId!: string;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => PaymentCustomer)
  customer?: PaymentCustomer;

  @IsOptional()
  @IsString()
  @MaxLength(200)
  plan?: string;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  entitlements?: string[];

  /** When a change of the subscription takes effect, if not at `occurredAt`. */
  @IsOptional()
  @IsISO8601({ strict: true })
  effectiveAt?: string;

  /** Present exactly when `type` is `subscription.purchased`. */
  @ValidateIf((data: PaymentReceived) => data.type === 'subscription.purchased' || data.purchase !== undefined)
  @IsObject()
  @ValidateNested()
  @Type(() => Purchase)
  purchase?: Purchase;

  /** The old plan; present exactly when `type` is `subscription.plan_changed`. `plan` is the new plan. */
  @ValidateIf((data: PaymentReceived) => data.type === 'subscription.plan_changed' || data.fromPlan !== undefined)
  @IsString()
  @MaxLength(200)
  fromPlan?: string;

  /** The hash of the coupon's code, see {@link couponHash}; present exactly when `type` is `coupon.redeemed`. */
  @ValidateIf((data: PaymentReceived) => data.type === 'coupon.redeemed' || data.couponHash !== undefined)
  @Matches(KEYED_HASH)
  couponHash?: string;

  /** Present exactly when `type` is `coupon.redeemed`. */
  @ValidateIf((data: PaymentReceived) => data.type === 'coupon.redeemed' || data.redeemedAt !== undefined)
  @IsISO8601({ strict: true })
  redeemedAt?: string;
}

/**
 * Published by webhook-ingest. The message key is the subscription, so that the subscription's events keep their order.
 */
export const PAYMENT_RECEIVED: EventDefinition<PaymentReceived> = {
  topic: 'payment.received',
  data: PaymentReceived,
  keyOf: (data) => data.subscriptionId,
};
