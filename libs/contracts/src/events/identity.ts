import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import type { EventDefinition } from './event-definition';

/** What the identity vendor can report about a user. */
export const IDENTITY_EVENT_TYPES = [
  'alert_pushed',
  'enrollment_started',
  'enrollment_cancelled',
  'identity_verified',
  'identity_refused',
] as const;
export type IdentityEventType = (typeof IDENTITY_EVENT_TYPES)[number];

/** An alert that the vendor has about a user. */
export class PushedAlert {
  @IsInt()
  @Min(1)
  alertId!: number;

  /** The credit bureau in lower case, for example `exp`. New values may be added. */
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  bureau!: string;

  /** The alert's class, for example `CREDIT_MONITORING`. New values may be added. */
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  class!: string;

  /** The vendor's subtype of the alert; absent if the vendor did not send it. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  subType?: string;
}

/** Data of `identity.event`: the identity vendor reported something about a user. */
export class IdentityEvent {
  /** The user's key at the vendor. The platform may not know the user. */
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  arrayUserId!: string;

  @IsIn(IDENTITY_EVENT_TYPES)
  type!: IdentityEventType;

  /** When the vendor's webhook was received: the webhook itself contains no time. */
  @IsISO8601({ strict: true })
  receivedAt!: string;

  /** The alert, when `type` is `alert_pushed`. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => PushedAlert)
  alert?: PushedAlert;

  /**
   * The enrollment's code, for example `CREDIT_SCORE`, when `type` is `enrollment_started` or `enrollment_cancelled`.
   * New values may be added.
   */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  productCode?: string;
}

/** Published by webhook-ingest. */
export const IDENTITY_EVENT: EventDefinition<IdentityEvent> = {
  topic: 'identity.event',
  data: IdentityEvent,
  keyOf: ({ arrayUserId }) => arrayUserId,
};
