import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { ENROLLMENT_CODES, PROFILE_VERSIONS, type ProfileVersion } from '../enrollment/enrollment-code.rules';
import {
  IsAdultBirthDate,
  IsDigits,
  IsEmailAddress,
  IsSocialSecurityNumber,
  IsState,
  IsText,
  IsZip,
} from './personal-data.fields';

/** Blanks around a text are left out before it is checked. */
const NOT_BLANK = { minLength: 1, description: 'Not blank, no control characters' };
const BIRTH_DATE = { format: 'date', description: 'Of a person of 18 to 120 years' };
const SSN = {
  pattern: '^(\\d{4}|\\d{9})$',
  description: 'Last 4 or all 9 digits of a number that can have been given out',
};

export class AddressBody {
  @ApiProperty({ ...NOT_BLANK, maxLength: 100 })
  @IsText(100)
  street!: string;

  @ApiProperty({ ...NOT_BLANK, maxLength: 64 })
  @IsText(64)
  city!: string;

  @ApiProperty({ pattern: '^[A-Za-z]{2}$', description: 'USPS code of a state or territory, in any case' })
  @IsState()
  state!: string;

  @ApiProperty({ pattern: '^\\d{5}(-\\d{4})?$' })
  @IsZip()
  zip!: string;
}

export class CreateUserBody {
  @ApiProperty({ ...NOT_BLANK, maxLength: 64 })
  @IsText(64)
  firstName!: string;

  @ApiProperty({ ...NOT_BLANK, maxLength: 64 })
  @IsText(64)
  lastName!: string;

  @ApiProperty(BIRTH_DATE)
  @IsAdultBirthDate()
  dob!: string;

  @ApiProperty({ format: 'email', maxLength: 254 })
  @IsEmailAddress()
  emailAddress!: string;

  @ApiProperty()
  @IsObject()
  @ValidateNested()
  address!: AddressBody;

  @ApiPropertyOptional({ type: String, nullable: true, pattern: '^\\d{10,15}$' })
  @IsOptional()
  @IsDigits(/^\d{10,15}$/)
  phoneNumber?: string;

  @ApiPropertyOptional({ type: String, nullable: true, ...SSN })
  @IsOptional()
  @IsSocialSecurityNumber()
  ssn?: string;

  @ApiPropertyOptional({ type: 'integer', nullable: true, enum: PROFILE_VERSIONS, default: 0 })
  @IsOptional()
  @IsIn(PROFILE_VERSIONS)
  version?: ProfileVersion;
}

/** At least one field. */
export class ChangeUserBody {
  @ApiPropertyOptional({ type: String, nullable: true, format: 'email', maxLength: 254 })
  @IsOptional()
  @IsEmailAddress()
  emailAddress?: string;

  @ApiPropertyOptional({ type: String, nullable: true, pattern: '^\\d{10,15}$' })
  @IsOptional()
  @IsDigits(/^\d{10,15}$/)
  phoneNumber?: string;

  @ApiPropertyOptional({ type: String, nullable: true, ...SSN })
  @IsOptional()
  @IsSocialSecurityNumber()
  ssn?: string;

  @ApiPropertyOptional({ type: String, nullable: true, ...BIRTH_DATE })
  @IsOptional()
  @IsAdultBirthDate()
  dob?: string;

  @ApiPropertyOptional({ nullable: true, description: 'Whole: all four fields' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  address?: AddressBody;
}

export class MigrateUserBody {
  @ApiPropertyOptional({ type: 'integer', nullable: true, enum: PROFILE_VERSIONS, default: 0 })
  @IsOptional()
  @IsIn(PROFILE_VERSIONS)
  version?: ProfileVersion;
}

/** A token for the vendor's embedded pages; null when the vendor gave none now: ask for one at the token endpoint. */
export class UserTokenAnswer {
  @ApiProperty({ type: String, nullable: true })
  userToken!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Unix seconds' })
  expirationDate!: number | null;
}

/** What the profile status tells. */
export class ProfileStatus {
  @ApiProperty({ format: 'uuid' })
  arrayUserId!: string;

  @ApiProperty({ description: 'Whether the last verification of the identity succeeded' })
  authenticated!: boolean;

  @ApiProperty({ description: 'Whether changes of the profile need a second factor' })
  twoFactorEnabled!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 3 })
  authAttempts!: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 3 })
  remainingAuthAttempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastAuthAttempt!: string | null;

  @ApiProperty()
  firstNameConfigured!: boolean;

  @ApiProperty()
  lastNameConfigured!: boolean;

  @ApiProperty()
  dobConfigured!: boolean;

  @ApiProperty()
  addressConfigured!: boolean;

  @ApiProperty()
  emailConfigured!: boolean;

  @ApiProperty()
  phoneNumberConfigured!: boolean;

  @ApiProperty()
  ssnConfigured!: boolean;
}

export class DeletedUser {
  @ApiProperty({ format: 'uuid' })
  arrayUserId!: string;

  @ApiProperty({ enum: [true] })
  deleted!: true;
}

/** A code that the user was ever to be enrolled in. */
export class EnrollmentView {
  @ApiProperty({ enum: ENROLLMENT_CODES })
  code!: string;

  @ApiProperty({ description: 'Whether the user is enrolled at the vendor now' })
  active!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null when it is not active' })
  activatedAt!: string | null;
}

export class EnrollmentsAnswer {
  @ApiProperty({ type: [EnrollmentView] })
  enrollments!: EnrollmentView[];
}

export class MigrationAnswer extends EnrollmentsAnswer {
  @ApiProperty({ type: 'integer', enum: PROFILE_VERSIONS })
  version!: ProfileVersion;
}
