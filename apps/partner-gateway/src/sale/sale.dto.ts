import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { REVOKE_REASONS, type RevokeReason } from '@tandem/contracts';
import { IsIn, IsOptional, IsString, MaxLength, MinLength, NotContains, ValidateIf } from 'class-validator';
import { PageQuery } from '../paging/page.dto';
import { ALL_SALE_STATUSES, type SaleStatus } from './sale.entity';

/** The one character that Postgres cannot store. */
const NUL = '\0';

export class RevokeSaleQuery {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255, description: 'In place of the one in the body' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  @NotContains(NUL)
  subscriptionId?: string;
}

export class RevokeSaleBody {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: 255,
    nullable: true,
    description: "The postback's `oid`; needed here or in the query",
  })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  @NotContains(NUL)
  subscriptionId?: string | null;

  @ApiPropertyOptional({ enum: REVOKE_REASONS, nullable: true, description: 'Left out or null: `other`' })
  @IsOptional()
  @IsIn(REVOKE_REASONS)
  reason?: RevokeReason | null;

  @ApiPropertyOptional({ type: String, maxLength: 1000, nullable: true })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  @NotContains(NUL)
  note?: string | null;
}

/** The answer to a revocation, the first one and every repeat. */
export class Revocation {
  @ApiProperty()
  subscriptionId!: string;

  @ApiProperty({ enum: ['revoked'] })
  status!: 'revoked';

  @ApiProperty({ format: 'date-time' })
  revokedAt!: string;

  @ApiProperty({ enum: REVOKE_REASONS })
  reason!: RevokeReason;
}

export const REVOCATION_EXAMPLE: Revocation = {
  subscriptionId: 'sub-1001',
  status: 'revoked',
  revokedAt: '2026-03-01T12:00:00.000Z',
  reason: 'returned',
};

/** Left out is fine; an empty value would find nothing, and is refused. */
const Filter = (maxLength: number): PropertyDecorator =>
  applyDecorators(
    ValidateIf((_query: object, value: unknown) => value !== undefined),
    IsString(),
    MinLength(1),
    MaxLength(maxLength),
    NotContains(NUL),
  );

export class SalesQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: ALL_SALE_STATUSES,
    description:
      '`unattributed`: purchases that are no partner’s sale; they are left out unless this or `oid` is given',
  })
  @IsOptional()
  @IsIn(ALL_SALE_STATUSES)
  status?: SaleStatus;

  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @Filter(255)
  partnerId?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: 255, description: "The subscription's id" })
  @Filter(255)
  oid?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: 1000, description: "The partner's own reference" })
  @Filter(1000)
  refId?: string;
}
