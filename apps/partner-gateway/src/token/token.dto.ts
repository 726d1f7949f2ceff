import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
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
import { PageAnswer } from '../paging/page.dto';
import type { IssuedToken, TokenView } from './token.service';

/**
 * A calendar date and a time with its offset: without one it would depend on the server's place. ISO 8601 has weeks and bare
 * hours as well, which Date does not read.
 */
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;

export class IssueTokenBody {
  @ApiProperty({ enum: ENVIRONMENTS })
  @IsIn(ENVIRONMENTS)
  environment!: Environment;

  @ApiPropertyOptional({
    enum: PARTNER_SCOPES,
    isArray: true,
    description: "Of the partner's integration kind. Left out: all of them",
  })
  @ValidateIf((_body: object, value: unknown) => value !== undefined)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(PARTNER_SCOPES, { each: true })
  scopes?: PartnerScope[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'In the future. Left out or null: does not expire',
  })
  @IsOptional()
  @IsISO8601({ strict: true })
  @Matches(WITH_OFFSET, { message: 'expiresAt must be a date and time with an offset' })
  expiresAt?: string | null;
}

export class RotateTokenBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 604800,
    description: 'How long the old token stays valid. Left out: a day',
  })
  @ValidateIf((_body: object, value: unknown) => value !== undefined)
  @IsInt()
  @Min(0)
  @Max(604_800)
  overlapSeconds?: number;
}

@ApiSchema({ name: 'Token' })
export class TokenDto implements TokenView {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  partnerId!: string;

  @ApiProperty({ enum: ENVIRONMENTS })
  environment!: Environment;

  @ApiProperty({ enum: PARTNER_SCOPES, isArray: true })
  scopes!: PartnerScope[];

  @ApiProperty({ description: 'By which people tell tokens apart' })
  last4!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The id of its successor, when it was rotated' })
  replacedBy!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Within a minute' })
  lastUsedAt!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;
}

@ApiSchema({ name: 'IssuedToken' })
export class IssuedTokenDto extends TokenDto implements IssuedToken {
  @ApiProperty({ description: 'The token itself, shown this once' })
  token!: string;
}

export class TokenPage extends PageAnswer {
  @ApiProperty({ type: TokenDto, isArray: true, description: 'Newest first' })
  items!: TokenDto[];
}

export const TOKEN_EXAMPLE: TokenDto = {
  id: 'tok_550e8400e29b41d4a716446655440000',
  partnerId: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  environment: 'live',
  scopes: ['checkout:create', 'sales:revoke'],
  last4: 'w3Kd',
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
  lastUsedAt: null,
  createdAt: '2026-03-01T12:00:00.000Z',
};

export const ISSUED_TOKEN_EXAMPLE: IssuedTokenDto = { ...TOKEN_EXAMPLE, token: 'ptk_live_…w3Kd' };
