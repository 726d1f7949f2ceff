import { IsInt, IsISO8601, IsString, Matches, MaxLength, Min, MinLength } from 'class-validator';
import type { EventDefinition } from './event-definition';
import { KRN } from './krn';

/** Data of `alert.created`: the identity vendor pushed a new alert about a user. It does not contain what was found. */
export class AlertCreated {
  @Matches(KRN)
  krn!: string;

  /** The user finds the alert by bureau and id. */
  @IsInt()
  @Min(1)
  alertId!: number;

  /** In lower case, for example `exp`: an open set. */
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  bureau!: string;

  /** The alert's class, for example `CREDIT_MONITORING`: an open set. */
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
