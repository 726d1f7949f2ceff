import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PARTNER_SCOPES, type PartnerScope } from '@tandem/auth';
import { ENVIRONMENTS, type Environment } from '@tandem/contracts';
import {
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';

/**
 * A calendar date and a time with its offset: without one it would depend on the server's place. ISO 8601 has weeks and bare
 * hours as well, which Date does not read.
 */
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;

export class IssueTokenBody {
  @ApiProperty({ enum: ENVIRONMENTS })
  @IsIn(ENVIRONMENTS)
  environment!: Environment;

  @ApiProperty({ enum: PARTNER_SCOPES, isArray: true })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(PARTNER_SCOPES, { each: true })
  scopes!: PartnerScope[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Left out or null: does not expire',
  })
  @IsOptional()
  @IsISO8601({ strict: true })
  @Matches(WITH_OFFSET, { message: 'expiresAt must be a date and time with an offset' })
  expiresAt?: string | null;
}

export class RotateTokenBody {
  @ApiPropertyOptional({
    minimum: 0,
    maximum: 604800,
    default: 86400,
    description: 'How long the old token stays valid',
  })
  @ValidateIf((_body: object, value: unknown) => value !== undefined)
  @IsInt()
  @Min(0)
  @Max(604_800)
  overlapSeconds?: number;
}
