import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { VOUCHER_GROUP_STATUSES, type VoucherGroupStatus } from '@tandem/internal-api';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/**
 * A calendar date and a time with its offset: without one it would depend on the server's place. ISO 8601 has weeks and bare
 * hours as well, which Date does not read.
 */
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
/** Neither control characters nor halves of a character, which no JSON column takes. */
const LINE = /^[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s][^\p{Cc}\p{Cs}]*$/u;

/** Left out is fine; null is a value, and an invalid one: unlike with IsOptional. */
const Omittable = (): PropertyDecorator => ValidateIf((_body: object, value: unknown) => value !== undefined);

export class NewVoucherProduct {
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsString()
  @MaxLength(200)
  @Matches(LINE, { message: 'name must be a line of text' })
  name!: string;

  @ApiPropertyOptional({ maxLength: 200, description: 'Left out: empty' })
  @Omittable()
  @IsString()
  @MaxLength(200)
  @Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: 'tier must be a line of text' })
  tier?: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1200 })
  @IsInt()
  @Min(1)
  @Max(1200)
  periodMonths!: number;
}

export class ChangeVoucherGroupBody {
  @ApiPropertyOptional({ enum: VOUCHER_GROUP_STATUSES })
  @Omittable()
  @IsIn(VOUCHER_GROUP_STATUSES)
  status?: VoucherGroupStatus;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description: 'Not less than issued; null: any number',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2_000_000_000)
  stock?: number | null;
}

export class CreateVoucherGroupBody {
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsString()
  @MaxLength(200)
  @Matches(LINE, { message: 'name must be a line of text' })
  name!: string;

  @ApiProperty({ type: NewVoucherProduct })
  @IsObject()
  @ValidateNested()
  @Type(() => NewVoucherProduct)
  product!: NewVoucherProduct;

  @ApiProperty({ pattern: '^[A-Z]{3}$', example: 'USD', description: 'ISO 4217' })
  @Matches(/^[A-Z]{3}$/, { message: 'currency must be an ISO 4217 code' })
  currency!: string;

  @ApiPropertyOptional({ enum: ENVIRONMENTS, description: 'Left out: live' })
  @Omittable()
  @IsIn(ENVIRONMENTS)
  environment?: Environment;

  @ApiPropertyOptional({ enum: VOUCHER_GROUP_STATUSES, description: 'Left out: active' })
  @Omittable()
  @IsIn(VOUCHER_GROUP_STATUSES)
  status?: VoucherGroupStatus;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, nullable: true, description: 'Left out or null: any number' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2_000_000_000)
  stock?: number | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Now, when left out' })
  @Omittable()
  @IsISO8601({ strict: true })
  @Matches(WITH_OFFSET, { message: 'validFrom must be a date and time with an offset' })
  validFrom?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true, description: 'Left out or null: no end' })
  @IsOptional()
  @IsISO8601({ strict: true })
  @Matches(WITH_OFFSET, { message: 'validUntil must be a date and time with an offset' })
  validUntil?: string | null;
}
