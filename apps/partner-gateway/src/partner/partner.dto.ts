import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  Matches,
  ValidateIf,
} from 'class-validator';
import { PARTNER_KINDS, type PartnerKind } from './partner.entity';

/** Left out is fine; null is a value, and an invalid one: unlike with IsOptional. */
const Omittable = (): PropertyDecorator => ValidateIf((_body: object, value: unknown) => value !== undefined);

export class CreatePartnerBody {
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsString()
  @MaxLength(200)
  @Matches(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, { message: 'name must be a line of text' })
  name!: string;

  @ApiProperty({ enum: PARTNER_KINDS })
  @IsIn(PARTNER_KINDS)
  kind!: PartnerKind;

  @ApiPropertyOptional({
    type: String,
    description: 'Kept encrypted. Purchases with this address are held.',
    nullable: true,
  })
  @IsOptional()
  @IsEmail()
  @MaxLength(254)
  contactEmail?: string | null;

  @ApiPropertyOptional({ minimum: 0, maximum: 90, default: 30 })
  @Omittable()
  @IsInt()
  @Min(0)
  @Max(90)
  revokeWindowDays?: number;
}

export class ChangePartnerBody {
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @Omittable()
  @IsString()
  @MaxLength(200)
  @Matches(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, { message: 'name must be a line of text' })
  name?: string;

  @ApiPropertyOptional()
  @Omittable()
  @IsBoolean()
  active?: boolean;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'null removes the contact' })
  @IsOptional()
  @IsEmail()
  @MaxLength(254)
  contactEmail?: string | null;

  @ApiPropertyOptional({ minimum: 0, maximum: 90 })
  @Omittable()
  @IsInt()
  @Min(0)
  @Max(90)
  revokeWindowDays?: number;
}
