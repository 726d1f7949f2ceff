import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { KnownParametersOnly } from '@tandem/service-defaults';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

/** Query of every admin list. */
@KnownParametersOnly()
export class PageQuery {
  @ApiPropertyOptional({ description: '`nextCursor` of the page before, of the same list' })
  @IsOptional()
  @IsString()
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;
}

/** What every page has beside its items. */
export class PageAnswer {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pass it as `cursor` for the next page. Null on the last one.',
  })
  nextCursor!: string | null;

  @ApiProperty()
  hasMore!: boolean;
}

/** An example of a last page. */
export const lastPage = <T>(item: T) => ({ items: [item], nextCursor: null, hasMore: false });
