import { IsInt, IsISO8601, IsString, Matches, MaxLength, Min, MinLength } from 'class-validator';
import type { EventDefinition } from './event-definition';
import { KRN } from './krn';

/**
 * Data of `alert.created`: the identity vendor pushed a new alert about a user. The event does not contain what the
 * vendor found.
 */
export class AlertCreated {
  @Matches(KRN)
  krn!: string;

  /** Identifies one of the user's alerts, together with `bureau`. */
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

  /** When the vendor's webhook was received. */
  @IsISO8601({ strict: true })
  createdAt!: string;
}

/** Published by idp-api. */
export const ALERT_CREATED: EventDefinition<AlertCreated> = {
  topic: 'alert.created',
  data: AlertCreated,
  keyOf: ({ krn }) => krn,
};
