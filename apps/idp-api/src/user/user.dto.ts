import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AddressBody,
  BIRTH_DATE,
  IsAdultBirthDate,
  IsDigits,
  IsEmailAddress,
  IsSocialSecurityNumber,
  IsLine,
  NOT_BLANK,
  PersonalDataBody,
  SSN,
} from '@tandem/internal-api';
import { IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { ENROLLMENT_CODES } from '../array/enrollment-codes';
import { PROFILE_VERSIONS, type ProfileVersion } from '../profile/profile';

/** The schema of a version. Not an enum, because generated Kotlin clients decode enum values only from strings. */
const VERSION = { type: 'integer', minimum: 0, maximum: PROFILE_VERSIONS.length - 1 } as const;

export class CreateUserBody {
  @ApiProperty({ ...NOT_BLANK, maxLength: 64 })
  @IsLine(64)
  firstName!: string;

  @ApiProperty({ ...NOT_BLANK, maxLength: 64 })
  @IsLine(64)
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

  @ApiPropertyOptional({ ...VERSION, nullable: true, default: 0 })
  @IsOptional()
  @IsIn(PROFILE_VERSIONS)
  version?: ProfileVersion;
}

/** The change of a profile by the user. At least one field must be given. */
export class ChangeUserBody extends PersonalDataBody {
  @ApiPropertyOptional({ type: String, nullable: true, ...SSN })
  @IsOptional()
  @IsSocialSecurityNumber()
  ssn?: string;
}

export class MigrateUserBody {
  @ApiPropertyOptional({ ...VERSION, nullable: true, default: 0 })
  @IsOptional()
  @IsIn(PROFILE_VERSIONS)
  version?: ProfileVersion;
}

const USER_TOKEN = { type: String, example: '0f1c9a7e5b3d42868d1e4c7a90b2f635' };
const EXPIRATION_DATE = { type: 'integer', description: 'Unix seconds', example: 1_772_367_300 } as const;

/** A token for the vendor's embedded pages. */
export class IssuedTokenAnswer {
  @ApiProperty(USER_TOKEN)
  userToken!: string;

  @ApiProperty(EXPIRATION_DATE)
  expirationDate!: number;
}

/**
 * The token that belongs to a new profile. Both fields are null when the vendor did not issue a token; the client then requests a token at
 * the token endpoint.
 */
export class UserTokenAnswer {
  @ApiProperty({ ...USER_TOKEN, nullable: true })
  userToken!: string | null;

  @ApiProperty({ ...EXPIRATION_DATE, nullable: true })
  expirationDate!: number | null;
}

export class DeletedUser {
  @ApiProperty({ format: 'uuid' })
  arrayUserId!: string;

  @ApiProperty({ type: Boolean, description: 'Always true' })
  deleted!: true;
}

/** A code in which the user should be enrolled, or once should have been. */
export class EnrollmentView {
  @ApiProperty({ enum: ENROLLMENT_CODES })
  code!: string;

  @ApiProperty({ description: 'Whether the user is enrolled at the vendor now' })
  active!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null when the enrollment is not active',
    example: '2026-03-01T12:00:00.000Z',
  })
  activatedAt!: string | null;
}

export class EnrollmentsAnswer {
  @ApiProperty({ type: [EnrollmentView] })
  enrollments!: EnrollmentView[];
}

export class MigrationAnswer extends EnrollmentsAnswer {
  @ApiProperty(VERSION)
  version!: ProfileVersion;
}
