import { IsBoolean, IsIn, IsISO8601, IsString, MaxLength, MinLength } from 'class-validator';
import type { EventDefinition } from './event-definition';

/** What a partner's account is used for. */
export const INTEGRATION_KINDS = ['promotion', 'voucher'] as const;
export type IntegrationKind = (typeof INTEGRATION_KINDS)[number];

/** Data of `partner.changed`: the state of a partner since `changedAt`. Contact data is never published. */
export class PartnerChanged {
  @IsString()
  @MinLength(1)
  partnerId!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(200)
  name!: string;

  @IsIn(INTEGRATION_KINDS)
  kind!: IntegrationKind;

  /**
   * Requests of an inactive partner are refused. A purchase that arrives while its partner is inactive does not
   * qualify.
   */
  @IsBoolean()
  active!: boolean;

  /** When the account was last changed. Events of one partner arrive in order. */
  @IsISO8601({ strict: true })
  changedAt!: string;
}

/**
 * Published by partner-gateway when a partner is created, renamed, activated or deactivated, and for every partner when a
 * partner manager publishes all partners.
 */
export const PARTNER_CHANGED: EventDefinition<PartnerChanged> = {
  topic: 'partner.changed',
  data: PartnerChanged,
  keyOf: (data) => data.partnerId,
};
