import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EnumField, FlagField, IntegerField, ListField, ObjectField, TextField, TimeField } from '@tandem/http-api';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';

/*
 * Internal HTTP between idp-support (caller) and idp-api (owner of users): support's actions on one user. The edge never serves these paths; calls
 * carry a service token (audience `idp-api`). Support gets the answers unchanged (only an unlock is answered with 204), so no answer
 * contains an ssn, an address or other personal data. Errors are problem+json; see IDENTITY_SUPPORT_ERRORS.
 */

/** `GET`: 200 {@link SupportUser}. `PATCH` with {@link SupportChangeBody}: 200 {@link ChangedSupportUser}. `DELETE`: 200 {@link DeletedSupportUser}. */
export const supportUserPath = (krn: string): string => `/internal/support/users/${encodeURIComponent(krn)}`;

/** `POST` with {@link EnrollWithReceipts}: 200 {@link SupportEnrollments}. May be repeated. */
export const supportEnrollPath = (krn: string): string => `${supportUserPath(krn)}/enroll`;

/** `POST`: 200 {@link UnlockedSupportUser}. May be repeated. */
export const supportUnlockPath = (krn: string): string => `${supportUserPath(krn)}/unlock`;

const COUNT = { min: 0, max: 3 };
const DETAILS = {
  user_id: 'krn:tandem:dev:user:alice',
  array_user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  version: 1,
  auth_attempts: 0,
  remaining_auth_attempts: 3,
  last_auth_attempt: '2026-03-01T12:00:00.000Z',
  created_at: '2026-03-01T12:00:00.000Z',
};

@ApiSchema({ name: 'ArrayUserDetails' })
export class SupportUserDetails {
  @TextField({ example: 'krn:tandem:dev:user:alice', description: "The user's KRN" })
  user_id!: string;

  @TextField({ format: 'uuid', description: "The user's key at the identity vendor" })
  array_user_id!: string;

  @IntegerField({ min: 0, max: 1 })
  version!: number;

  @IntegerField({ ...COUNT, description: 'Consecutive refused verifications' })
  auth_attempts!: number;

  @IntegerField({
    ...COUNT,
    example: 3,
    description: 'At 0 the user is locked out until a PATCH, an unlock or a delete by support',
  })
  remaining_auth_attempts!: number;

  @TimeField({ nullable: true, example: '2026-03-01T12:00:00.000Z' })
  last_auth_attempt!: string | null;

  @TimeField()
  created_at!: string;
}

/** A change of an enrollment's status at the vendor: the enrollment became active or inactive. */
@ApiSchema({ name: 'EnrollmentStatusChange' })
export class SupportStatusChange {
  @EnumField(['active', 'inactive'])
  status!: 'active' | 'inactive';

  @TimeField()
  at!: string;

  @TextField({ example: 'enrolled', description: 'Why the status changed. An open set: values may be added' })
  reason!: string;
}

/** A product of the vendor, by its code, in which the user should be enrolled now, or should have been at some time. */
@ApiSchema({ name: 'SupportEnrollment' })
export class SupportEnrollment {
  @TextField({ example: 'IDENTITY_MONITORING' })
  code!: string;

  @FlagField({ description: 'Whether the user is enrolled at the vendor now' })
  active!: boolean;

  @TimeField()
  created_at!: string;

  @TimeField()
  updated_at!: string;

  @ListField(() => SupportStatusChange, { description: 'Oldest first' })
  status_history!: SupportStatusChange[];
}

/** The status of a user's profile, without personal data. */
export class ProfileStatus {
  @ApiProperty({ format: 'uuid' })
  arrayUserId!: string;

  @ApiProperty({ description: 'Whether the last verification of the identity succeeded' })
  authenticated!: boolean;

  @ApiProperty({ description: 'Whether changes to the profile need a second factor' })
  twoFactorEnabled!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 3 })
  authAttempts!: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 3, example: 3 })
  remainingAuthAttempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-03-01T12:00:00.000Z' })
  lastAuthAttempt!: string | null;

  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'When the next attempt is allowed. Present only while the user must wait; a user without remaining attempts needs support instead',
  })
  lockedUntil?: string;

  @ApiProperty()
  firstNameConfigured!: boolean;

  @ApiProperty()
  lastNameConfigured!: boolean;

  @ApiProperty()
  dobConfigured!: boolean;

  @ApiProperty()
  addressConfigured!: boolean;

  @ApiProperty()
  emailConfigured!: boolean;

  @ApiProperty()
  phoneNumberConfigured!: boolean;

  @ApiProperty()
  ssnConfigured!: boolean;
}

/** What support sees of a user. */
export class SupportUser {
  @ObjectField(() => SupportUserDetails, {
    nullable: true,
    example: DETAILS,
    description: 'Null for a user without a profile',
  })
  array_user_details!: SupportUserDetails | null;

  @ListField(() => SupportEnrollment)
  enrollments!: SupportEnrollment[];

  @ApiProperty({ type: () => ProfileStatus, description: 'The profile as the user sees it in the client API' })
  user_status_response!: ProfileStatus;
}

export class ChangedSupportUser {
  @ObjectField(() => SupportUserDetails)
  array_user_details!: SupportUserDetails;
}

export class DeletedSupportUser {
  @ApiProperty({ type: Boolean, description: 'Always true' })
  deleted!: true;
}

export class UnlockedSupportUser {
  @ApiProperty({ type: Boolean, description: 'Always true' })
  unlocked!: true;
}

export class SupportEnrollments {
  @ListField(() => SupportEnrollment)
  enrollments!: SupportEnrollment[];
}

/** The content of a verified subscription receipt token (SRT). */
export class SubscriptionReceipt {
  @TextField({ min: 1, max: 255, storable: true })
  subscriptionId!: string;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  entitlements!: string[];

  /** When the receipt was issued. If the subscription ends after this time, the receipt's entitlements end too. */
  @TimeField()
  issuedAt!: string;
}

export class EnrollWithReceipts {
  @ListField(() => SubscriptionReceipt)
  receipts!: SubscriptionReceipt[];
}
