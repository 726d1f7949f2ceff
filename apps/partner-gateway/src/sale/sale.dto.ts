import { ApiPropertyOptional } from '@nestjs/swagger';
import { REVOKE_REASONS, type RevokeReason } from '@tandem/contracts';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { PageQuery } from '../paging/page.dto';
import { SALE_STATUSES } from './sale.entity';

export class RevokeSaleQuery {
  @ApiPropertyOptional({ description: 'In place of the one in the body' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  subscriptionId?: string;
}

export class RevokeSaleBody {
  @ApiPropertyOptional({ description: "The postback's `oid`; needed here or in the query" })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  subscriptionId?: string | null;

  @ApiPropertyOptional({ enum: REVOKE_REASONS, default: 'other', nullable: true })
  @IsOptional()
  @IsIn(REVOKE_REASONS)
  reason?: RevokeReason | null;

  @ApiPropertyOptional({ maxLength: 1000, nullable: true })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  note?: string | null;
}

export class SalesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: SALE_STATUSES })
  @IsOptional()
  @IsIn(SALE_STATUSES)
  status?: (typeof SALE_STATUSES)[number];
}
