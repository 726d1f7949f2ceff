import { ApiProperty } from '@nestjs/swagger';
import {
  AnyObjectField,
  EnumField,
  FlagField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
  TimeField,
} from '@tandem/http-api';

/*
 * What idp-api reports to other apps about a user: what idp-api stores, and the user's current state at the vendor. The report contains
 * no personal data: it only says which kinds are stored.
 */

const Texts = (description: string): PropertyDecorator => ApiProperty({ type: [String], description });
const TextsOrNull = (description: string): PropertyDecorator =>
  ApiProperty({ type: [String], nullable: true, description });
const Count = (description: string): PropertyDecorator => IntegerField({ min: 0, description });

export class IdentityProfile {
  @IntegerField({ min: 0, max: 1 })
  readonly version!: number;

  @AnyObjectField({
    example: { ssn: true, address: true },
    description: 'For each kind of personal data, whether it is stored',
  })
  readonly configured!: Readonly<Record<string, boolean>>;

  @Texts('The enrollments that version and entitlements grant now')
  readonly grantedCodes!: readonly string[];
}

/** The verifications of a user's identity. They are counted by KRN, even before the user has a profile. */
export class IdentityVerification {
  @FlagField({ description: 'Whether the last verification succeeded' })
  readonly authenticated!: boolean;

  @Count('Consecutive refusals')
  readonly attempts!: number;

  @Count('Number of refusals left before the user is locked out')
  readonly remainingAttempts!: number;

  @TimeField({ nullable: true })
  readonly lastAttemptAt!: string | null;

  @EnumField(['wait', 'maximum'], {
    nullable: true,
    description:
      '`wait`: locked until `lockedUntil`. `maximum`: locked until support ends the lock, or until 30 days after the user has deleted the profile. Null: not locked',
  })
  readonly lock!: 'wait' | 'maximum' | null;

  @TimeField({ nullable: true })
  readonly lockedUntil!: string | null;
}

export class IdentitySubscriptionEvent {
  @TextField({ example: 'purchased' })
  readonly type!: string;

  @TimeField()
  readonly occurredAt!: string;

  @TimeField({ nullable: true })
  readonly effectiveAt!: string | null;

  @TextsOrNull('The entitlements that the plan grants. Null for an event that has no plan')
  readonly entitlements!: readonly string[] | null;

  @TextField({ nullable: true, example: 'captured' })
  readonly paymentStatus!: string | null;
}

export class IdentityPlannedChange {
  @TimeField()
  readonly at!: string;

  @Texts('The entitlements that the plan grants from then on')
  readonly entitlements!: readonly string[];
}

export class IdentitySubscription {
  @TextField({ example: 'sub-1001' })
  readonly id!: string;

  @EnumField(['live', 'ended', 'not_captured'], {
    example: 'live',
    description: '`not_captured`: no captured purchase of the subscription has arrived',
  })
  readonly state!: 'live' | 'ended' | 'not_captured';

  @Texts('The entitlements that the subscription grants now')
  readonly entitlements!: readonly string[];

  @TimeField({ nullable: true })
  readonly endsAt!: string | null;

  @ObjectField(() => IdentityPlannedChange, {
    nullable: true,
    description:
      'The scheduled change of the plan. Null when there is none, or when a newer event or the end of the subscription has superseded it',
  })
  readonly plannedChange!: IdentityPlannedChange | null;

  @ListField(() => IdentitySubscriptionEvent, { description: 'In the order of their arrival' })
  readonly events!: readonly IdentitySubscriptionEvent[];
}

export class IdentityEnrollmentChange {
  @TextField({ example: 'active' })
  readonly status!: string;

  @TextField({ example: 'enrolled' })
  readonly reason!: string;

  @TimeField()
  readonly at!: string;
}

export class IdentityEnrollment {
  @TextField({ example: 'IDENTITY_MONITORING' })
  readonly code!: string;

  @FlagField({ description: 'Whether the user should have the product' })
  readonly wanted!: boolean;

  @FlagField({ description: 'Whether the product is active at the vendor, according to the last known state' })
  readonly active!: boolean;

  @TextField({ example: 'enrolled', description: 'Why the product is wanted or not. An open set: values may be added' })
  readonly reason!: string;

  @TimeField({ nullable: true })
  readonly activatedAt!: string | null;

  @ListField(() => IdentityEnrollmentChange, { description: 'Oldest first' })
  readonly history!: readonly IdentityEnrollmentChange[];
}

/** The pending request to reconcile the vendor with the stored data. */
export class IdentityReconciliation {
  @EnumField(['enrollments', 'personal_data', 'removal'], {
    example: 'enrollments',
    description: '`removal`: there is no profile, and the vendor may still know the user',
  })
  readonly kind!: 'enrollments' | 'personal_data' | 'removal';

  @TimeField()
  readonly dueAt!: string;

  @Count('Consecutive failures')
  readonly failures!: number;

  @TextField({
    nullable: true,
    description: 'Why the last attempt failed. Null if no attempt has failed since the reconciliation was requested',
  })
  readonly lastError!: string | null;
}

/** Which samples the user sees; none if mock data is not enabled. */
export class IdentitySamples {
  @FlagField()
  readonly alerts!: boolean;

  @FlagField()
  readonly scans!: boolean;
}

/** What idp-api stores about a user, without personal data. */
export class IdentityUser {
  @TextField({ example: 'krn:tandem:dev:user:alice' })
  readonly krn!: string;

  @TextField({ format: 'uuid', description: "The user's key at the identity vendor, even without a profile" })
  readonly arrayUserId!: string;

  @ObjectField(() => IdentityProfile, { nullable: true, description: 'Null when there is none' })
  readonly profile!: IdentityProfile | null;

  @ObjectField(() => IdentityVerification)
  readonly verification!: IdentityVerification;

  @Texts('The entitlements that live subscriptions grant now')
  readonly entitlements!: readonly string[];

  @ListField(() => IdentitySubscription)
  readonly subscriptions!: readonly IdentitySubscription[];

  @ListField(() => IdentityEnrollment)
  readonly enrollments!: readonly IdentityEnrollment[];

  @ObjectField(() => IdentityReconciliation, {
    nullable: true,
    description: 'Null when the vendor matches what is stored',
  })
  readonly reconciliation!: IdentityReconciliation | null;

  @Count('Alerts that the vendor has reported in a webhook but does not list yet')
  readonly pushedAlerts!: number;

  @Count('The alerts of `pushedAlerts` whose bureau is unknown. No list contains them')
  readonly pushedAlertsOfUnknownBureau!: number;

  @ObjectField(() => IdentitySamples, { description: 'Samples that the user sees in addition to real data' })
  readonly mock!: IdentitySamples;
}

/** A user's current state at the vendor. */
export class IdentityUserAtVendor {
  @FlagField({ nullable: true, description: 'Null when the vendor could not be queried' })
  readonly isKnown!: boolean | null;

  @TextsOrNull('The codes in which the user is enrolled at the vendor. Null when the vendor could not be queried')
  readonly enrolledCodes!: readonly string[] | null;

  @FlagField({
    nullable: true,
    description: 'Whether the vendor lists any alert. Null when the vendor could not be queried',
  })
  readonly hasAlerts!: boolean | null;

  @Texts('Why the vendor could not be queried: one text for each of its routes')
  readonly failures!: readonly string[];
}
