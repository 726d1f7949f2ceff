import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, ValidateNested } from 'class-validator';
import {
  IsAdultBirthDate,
  IsDigits,
  IsEmailAddress,
  IsSocialSecurityNumber,
  IsState,
  IsLine,
  IsZip,
} from './personal-data-fields';

/*
 * The personal data of users of identity protection, as the bodies of requests contain it. Changes by clients and changes by support have
 * the same fields and the same rules.
 */

/** Surrounding spaces are removed before a text is checked. */
export const NOT_BLANK = { minLength: 1, description: 'Not blank, no control characters' };
export const BIRTH_DATE = { format: 'date', description: 'The person must be 18 to 120 years old' };
export const SSN = {
  pattern: '^(\\d{4}|\\d{9})$',
  description: 'The last 4 or all 9 digits. A number that cannot have been issued is refused',
};

export class AddressBody {
  @ApiProperty({ ...NOT_BLANK, maxLength: 100 })
  @IsLine(100)
  street!: string;

  @ApiProperty({ ...NOT_BLANK, maxLength: 64 })
  @IsLine(64)
  city!: string;

  @ApiProperty({ pattern: '^[A-Za-z]{2}$', description: 'USPS code of a state or territory, in upper or lower case' })
  @IsState()
  state!: string;

  @ApiProperty({ pattern: '^\\d{5}(-\\d{4})?$' })
  @IsZip()
  zip!: string;
}

/** The changeable personal data of a user, except `ssn`. */
export class PersonalDataBody {
  @ApiPropertyOptional({ type: String, nullable: true, format: 'email', maxLength: 254 })
  @IsOptional()
  @IsEmailAddress()
  emailAddress?: string;

  @ApiPropertyOptional({ type: String, nullable: true, pattern: '^\\d{10,15}$' })
  @IsOptional()
  @IsDigits(/^\d{10,15}$/)
  phoneNumber?: string;

  @ApiPropertyOptional({ type: String, nullable: true, ...BIRTH_DATE })
  @IsOptional()
  @IsAdultBirthDate()
  dob?: string;

  @ApiPropertyOptional({ nullable: true, description: 'The complete address, with all four fields' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  address?: AddressBody;
}

/** A change by support: `ssn` is required. */
export class SupportChangeBody extends PersonalDataBody {
  @ApiProperty({ type: String, ...SSN })
  @IsSocialSecurityNumber()
  ssn!: string;
}

/** The fields that a change may contain. */
export const CHANGEABLE_FIELDS = ['emailAddress', 'phoneNumber', 'ssn', 'dob', 'address'] as const;
