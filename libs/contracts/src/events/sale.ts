import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  Equals,
  IsArray,
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
import { type Environment, ENVIRONMENTS } from './values';

/** The reasons for which a partner can revoke a sale. */
export const REVOKE_REASONS = [
  'customer_request',
  'returned',
  'fraud',
  'order_error',
  'duplicate',
  'terms_violation',
  'other',
] as const;
export type RevokeReason = (typeof REVOKE_REASONS)[number];

/** One sold item, with the same fields as in the postback. */
export class SaleItem {
  /** The price, with exactly two decimals. */
  @Matches(/^\d+\.\d{2}$/)
  price!: string;

  @Matches(/^\d+$/)
  quantity!: string;

  @IsString()
  category!: string;

  /** The item's tier; empty when it has none. */
  @IsString()
  tier!: string;

  @Equals('Sell')
  sku!: 'Sell';
}

/** The common fields of every event about a sale. */
export class SaleReference {
  /** The subscription's id. */
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  oid!: string;

  @IsString()
  @MinLength(1)
  partnerId!: string;

  @IsIn(ENVIRONMENTS)
  environment!: Environment;
}

/** Data of `sale.completed`: a sale qualified. Published once per `oid`. */
export class SaleCompleted extends SaleReference {
  @IsString()
  promotionId!: string;

  /** The partner's reference (`ref_id`, or `data4`); empty when there was none. */
  @IsString()
  sharedId!: string;

  @IsString()
  emailMasked!: string;

  @Matches(/^[A-Z]{3}$/)
  currency!: string;

  @IsArray()
  @ArrayMaxSize(1000)
  // Nested validation alone accepts an empty array as a valid object.
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => SaleItem)
  items!: SaleItem[];

  /** The time of the purchase. */
  @IsISO8601({ strict: true })
  soldAt!: string;

  /** When the sale qualified. A held sale qualifies when it is released. */
  @IsISO8601({ strict: true })
  qualifiedAt!: string;
}

/** Data of `sale.revoked`: the partner revoked a qualified sale. */
export class SaleRevoked extends SaleReference {
  @IsIn(REVOKE_REASONS)
  reason!: RevokeReason;

  @IsISO8601({ strict: true })
  revokedAt!: string;
}

/** The ways in which a customer or a bank can close a sale. */
export const SALE_CLOSINGS = ['refunded', 'charged_back'] as const;
export type SaleClosing = (typeof SALE_CLOSINGS)[number];

/** Data of `sale.closed`: a sale that had qualified was refunded or charged back. A chargeback may follow a refund. */
export class SaleClosed extends SaleReference {
  @IsIn(SALE_CLOSINGS)
  status!: SaleClosing;

  /** When the sale was refunded or charged back. */
  @IsISO8601({ strict: true })
  closedAt!: string;

  /** As in `sale.completed`. Absent in events of earlier releases. */
  @IsOptional()
  @IsString()
  sharedId?: string;

  /** When the sale qualified, as in `sale.completed`. Absent in events of earlier releases. */
  @IsOptional()
  @IsISO8601({ strict: true })
  qualifiedAt?: string;
}

/** Published by partner-gateway when a sale qualifies. */
export const SALE_COMPLETED: EventDefinition<SaleCompleted> = {
  topic: 'sale.completed',
  data: SaleCompleted,
  keyOf: (data) => data.oid,
};

/** Published by partner-gateway when a partner revokes a sale. */
export const SALE_REVOKED: EventDefinition<SaleRevoked> = {
  topic: 'sale.revoked',
  data: SaleRevoked,
  keyOf: (data) => data.oid,
};

/** Published by partner-gateway when a sale that had qualified is refunded or charged back. */
export const SALE_CLOSED: EventDefinition<SaleClosed> = {
  topic: 'sale.closed',
  data: SaleClosed,
  keyOf: (data) => data.oid,
};
