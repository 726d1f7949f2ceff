import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import type { EventDefinition } from './event-definition';
import { KRN } from './krn';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Changes of a subscription that entitlements depend on. */
export const SUBSCRIPTION_CHANGES = [
  'purchased',
  'renewed',
  'plan_changed',
  'cancelled',
  'expired',
  'refunded',
  'charged_back',
] as const;
export type SubscriptionChangeType = (typeof SUBSCRIPTION_CHANGES)[number];

/** A change of a subscription, as the billing provider reported it. */
export class SubscriptionChange {
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  subscriptionId!: string;

  @IsIn(SUBSCRIPTION_CHANGES)
  type!: SubscriptionChangeType;

  /** The provider's timestamp. Of two changes of a subscription, the one with the later timestamp is newer. */
  @IsISO8601({ strict: true })
  occurredAt!: string;

  /** When the change takes effect, if not at `occurredAt`. */
  @IsOptional()
  @IsISO8601({ strict: true })
  effectiveAt?: string;

  /**
   * The entitlements of the plan from this change on. Absent if the provider did not send them: the plan then keeps its
   * entitlements, unless the change ends the subscription.
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  entitlements?: string[];

  /** The status of a purchase's payment: a purchase grants entitlements only if the status is `captured`. */
  @IsOptional()
  @IsIn(['captured', 'pending', 'failed'])
  paymentStatus?: 'captured' | 'pending' | 'failed';
}

/** What an `enrollment.sync` follows from: a change of a subscription, or an action of support. */
export const ENROLLMENT_SYNC_CAUSES = ['subscription', 'support'] as const;

/** Data of `enrollment.sync`: the enrollments that a user should have may have changed. */
export class EnrollmentSync {
  /** The user; absent if only the subscription is known. */
  @IsOptional()
  @Matches(KRN)
  krn?: string;

  @IsIn(ENROLLMENT_SYNC_CAUSES)
  cause!: (typeof ENROLLMENT_SYNC_CAUSES)[number];

  /** What happened to the subscription; present when `cause` is `subscription`. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SubscriptionChange)
  subscription?: SubscriptionChange;
}

/** Why an enrollment became active or inactive. */
export const ENROLLMENT_REASONS = [
  'enrolled',
  'migrated',
  'entitlement_lost',
  'plan_change',
  'user_deleted',
  'support',
  'vendor',
] as const;
export type EnrollmentReason = (typeof ENROLLMENT_REASONS)[number];

/** Data of `enrollment.changed`: a user's enrollment became active or inactive at the identity vendor. */
export class EnrollmentChanged {
  @Matches(KRN)
  krn!: string;

  /** The user's key at the vendor. */
  @Matches(UUID)
  arrayUserId!: string;

  /** The product's code, for example `CREDIT_SCORE`. New values may be added. */
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  code!: string;

  @IsBoolean()
  active!: boolean;

  @IsIn(ENROLLMENT_REASONS)
  reason!: EnrollmentReason;

  @IsISO8601({ strict: true })
  changedAt!: string;
}

/** Published by webhook-ingest and idp-support. */
export const ENROLLMENT_SYNC: EventDefinition<EnrollmentSync> = {
  topic: 'enrollment.sync',
  data: EnrollmentSync,
  keyOf: ({ krn, subscription }) => krn ?? subscription?.subscriptionId ?? '',
};

/** Published by idp-api. */
export const ENROLLMENT_CHANGED: EventDefinition<EnrollmentChanged> = {
  topic: 'enrollment.changed',
  data: EnrollmentChanged,
  keyOf: (data) => data.krn,
};
