import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EndpointLimits } from '@tandem/internal-api';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  isEmail,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  Matches,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { PageAnswer } from '../paging/page.dto';
import { PARTNER_KINDS, type PartnerKind } from './partner.entity';
import type { PartnerView } from './partner.service';

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

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 90, description: 'Left out: 30' })
  @Omittable()
  @IsInt()
  @Min(0)
  @Max(90)
  revokeWindowDays?: number;
}

@ApiSchema({ name: 'EndpointLimits' })
export class EndpointLimitsDto extends EndpointLimits {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    nullable: true,
    description: "Postbacks that each of the partner's endpoints gets at a time, at most; null: the platform's default",
  })
  override concurrency!: number | null;
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

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 90 })
  @Omittable()
  @IsInt()
  @Min(0)
  @Max(90)
  revokeWindowDays?: number;

  @ApiPropertyOptional({ type: EndpointLimitsDto })
  @Omittable()
  @IsObject()
  @ValidateNested()
  @Type(() => EndpointLimitsDto)
  endpointLimits?: EndpointLimitsDto;
}

@ApiSchema({ name: 'Partner' })
export class PartnerDto implements PartnerView {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: PARTNER_KINDS })
  kind!: PartnerKind;

  @ApiProperty({ description: 'An inactive account may do nothing' })
  active!: boolean;

  @ApiProperty({ type: String, format: 'email', nullable: true })
  contactEmail!: string | null;

  @ApiProperty({ type: 'integer', description: 'How long its sales can be revoked' })
  revokeWindowDays!: number;

  @ApiProperty({ type: EndpointLimitsDto })
  endpointLimits!: EndpointLimitsDto;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

export class PartnerPage extends PageAnswer {
  @ApiProperty({ type: PartnerDto, isArray: true, description: 'Newest first' })
  items!: PartnerDto[];
}

export const PARTNER_EXAMPLE: PartnerDto = {
  id: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  name: 'My shop',
  kind: 'promotion',
  active: true,
  contactEmail: 'owner@example.com',
  revokeWindowDays: 30,
  endpointLimits: { concurrency: null },
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-01T12:00:00.000Z',
};
