import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  isEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  Matches,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { PARTNER_KINDS, type PartnerKind } from './partner.entity';

/** Left out is fine; null is a value, and an invalid one: unlike with IsOptional. */
const Omittable = (): PropertyDecorator => ValidateIf((_body: object, value: unknown) => value !== undefined);

/** Neither control characters nor halves of a character, which JSON in Postgres cannot hold. */
const LINE_OF_TEXT = /^[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s][^\p{Cc}\p{Cs}]*$/u;

/** class-validator's own decorator throws at half a character instead of refusing it. */
const IsContactEmail = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isContactEmail',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && value.length <= 254 && !/\p{Cs}/u.test(value) && isEmail(value),
      },
    },
    { message: 'contactEmail must be an e-mail address of at most 254 characters' },
  );

export class CreatePartnerBody {
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsString()
  @MaxLength(200)
  @Matches(LINE_OF_TEXT, { message: 'name must be a line of text' })
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
  @IsContactEmail()
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
  @Matches(LINE_OF_TEXT, { message: 'name must be a line of text' })
  name?: string;

  @ApiPropertyOptional()
  @Omittable()
  @IsBoolean()
  active?: boolean;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'null removes the contact' })
  @IsOptional()
  @IsContactEmail()
  contactEmail?: string | null;

  @ApiPropertyOptional({ minimum: 0, maximum: 90 })
  @Omittable()
  @IsInt()
  @Min(0)
  @Max(90)
  revokeWindowDays?: number;
}
