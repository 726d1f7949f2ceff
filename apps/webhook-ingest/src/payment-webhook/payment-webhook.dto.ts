import type { PaymentType } from '@tandem/contracts';
import { IsDecimalString, IsKrn, IsRecord, IsReportedEmail, IsText, IsTimestamp } from '@tandem/http-api';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';

const IN_LIST = { each: true } as const;
const list = { message: 'must be an array' } as const;

/** The fields that every webhook of the billing provider contains: the envelope of Standard Webhooks, and the provider's own `id`. */
export class PaymentEnvelope {
  @IsText(1, 255)
  id!: string;

  @IsText(1, 100)
  type!: string;

  @IsTimestamp()
  timestamp!: string;

  @IsRecord()
  data!: Record<string, unknown>;
}

export class BuyerDto {
  @IsOptional()
  @IsKrn()
  krn?: string | null;

  @IsReportedEmail()
  email!: string;
}

export class PurchaseItemDto {
  @IsDecimalString()
  price!: string;

  @IsOptional()
  @IsInt({ message: 'must be a whole number' })
  @Min(1, { message: 'must be at least 1' })
  @Max(1_000_000_000, { message: 'must be at most 1000000000' })
  quantity?: number | null;

  @IsText(0, 500)
  category!: string;

  @IsOptional()
  @IsText(0, 200)
  tier?: string | null;
}

export class AttributionDto {
  @IsOptional()
  @IsText(0, 8192)
  checkoutToken?: string | null;

  @IsOptional()
  @IsText(0, 200)
  promotionCode?: string | null;

  @IsOptional()
  @IsText(0, 1024)
  data4?: string | null;
}

/** The `data` of `subscription.purchased`. */
export class PurchasedDto {
  @IsText(1, 255)
  subscriptionId!: string;

  @IsRecord()
  @ValidateNested()
  @Type(() => BuyerDto)
  customer!: BuyerDto;

  @IsText(1, 200)
  plan!: string;

  @IsArray(list)
  @ArrayMaxSize(100, { message: 'must have at most 100 entries' })
  @IsText(1, 200, IN_LIST)
  entitlements!: string[];

  @Matches(/^[A-Z]{3}$/, { message: 'must be an ISO 4217 currency code' })
  currency!: string;

  @IsDecimalString()
  amount!: string;

  @IsIn(['captured', 'pending', 'failed'], { message: 'must be captured, pending or failed' })
  paymentStatus!: 'captured' | 'pending' | 'failed';

  @IsBoolean({ message: 'must be true or false' })
  firstPayment!: boolean;

  @IsArray(list)
  @ArrayMaxSize(1000, { message: 'must have at most 1000 entries' })
  @IsRecord(IN_LIST)
  @ValidateNested(IN_LIST)
  @Type(() => PurchaseItemDto)
  items!: PurchaseItemDto[];

  @IsOptional()
  @IsRecord()
  @ValidateNested()
  @Type(() => AttributionDto)
  attribution?: AttributionDto | null;

  @IsOptional()
  @IsText(0, 200)
  couponCode?: string | null;
}

export class SubscriberDto {
  @IsOptional()
  @IsKrn()
  krn?: string | null;
}

/** The `data` of the events in the later life of a subscription: renewed, cancelled, expired, refunded, charged back. */
export class SubscriptionChangedDto {
  @IsText(1, 255)
  subscriptionId!: string;

  @IsRecord()
  @ValidateNested()
  @Type(() => SubscriberDto)
  customer!: SubscriberDto;

  @IsOptional()
  @IsText(1, 200)
  plan?: string | null;

  @IsOptional()
  @IsArray(list)
  @ArrayMaxSize(100, { message: 'must have at most 100 entries' })
  @IsText(1, 200, IN_LIST)
  entitlements?: string[] | null;

  @IsOptional()
  @IsTimestamp()
  effectiveAt?: string | null;
}

export class KnownSubscriberDto {
  @IsKrn()
  krn!: string;
}

/** The `data` of `subscription.plan_changed`. */
export class PlanChangedDto {
  @IsText(1, 255)
  subscriptionId!: string;

  @IsRecord()
  @ValidateNested()
  @Type(() => KnownSubscriberDto)
  customer!: KnownSubscriberDto;

  @IsText(1, 200)
  fromPlan!: string;

  @IsText(1, 200)
  toPlan!: string;

  @IsArray(list)
  @ArrayMaxSize(100, { message: 'must have at most 100 entries' })
  @IsText(1, 200, IN_LIST)
  entitlements!: string[];

  @IsTimestamp()
  effectiveAt!: string;
}

/** The `data` of `coupon.redeemed`. */
export class CouponRedeemedDto {
  @IsText(1, 200)
  couponCode!: string;

  @IsText(1, 255)
  subscriptionId!: string;

  @IsTimestamp()
  redeemedAt!: string;
}

/** The class that validates the `data` of each type. */
export const PAYMENT_DATA = {
  'subscription.purchased': PurchasedDto,
  'subscription.renewed': SubscriptionChangedDto,
  'subscription.cancelled': SubscriptionChangedDto,
  'subscription.expired': SubscriptionChangedDto,
  'subscription.refunded': SubscriptionChangedDto,
  'subscription.charged_back': SubscriptionChangedDto,
  'subscription.plan_changed': PlanChangedDto,
  'coupon.redeemed': CouponRedeemedDto,
} as const satisfies Record<PaymentType, new () => object>;
