import { ApiProperty } from '@nestjs/swagger';

/** What the profile status tells. */
export class ProfileStatus {
  @ApiProperty({ format: 'uuid' })
  arrayUserId!: string;

  @ApiProperty({ description: 'Whether the last verification of the identity succeeded' })
  authenticated!: boolean;

  @ApiProperty({ description: 'Whether the profile is guarded by a second factor' })
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
