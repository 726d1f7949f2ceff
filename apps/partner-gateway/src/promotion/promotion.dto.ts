import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsBoolean, IsInt, Matches, Max, Min, ValidateIf } from 'class-validator';
import { PageAnswer } from '../paging/page.dto';
import type { PromotionView } from './promotion.service';

export class CreatePromotionBody {
  @ApiProperty({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Unique; its case does not matter' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'code must be 1 to 64 letters, digits, "-" or "_"' })
  code!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100 })
  @IsInt()
  @Min(1)
  @Max(100)
  percentOff!: number;

  @ApiPropertyOptional({ description: 'Left out: true. An active promotion takes the place of the one before' })
  @ValidateIf((_body: object, value: unknown) => value !== undefined)
  @IsBoolean()
  active?: boolean;
}

export class ChangePromotionBody {
  @ApiProperty({ description: 'An active promotion takes the place of the one before' })
  @IsBoolean()
  active!: boolean;
}

@ApiSchema({ name: 'Promotion' })
export class PromotionDto implements PromotionView {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  partnerId!: string;

  @ApiProperty()
  code!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100 })
  percentOff!: number;

  @ApiProperty()
  active!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  deactivatedAt!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;
}

export class PromotionPage extends PageAnswer {
  @ApiProperty({ type: PromotionDto, isArray: true, description: 'Newest first' })
  items!: PromotionDto[];
}

export const PROMOTION_EXAMPLE: PromotionDto = {
  id: 'prm_0f8fad5bd9cb469fa16570867728950e',
  partnerId: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  code: 'MYSHOP-20',
  percentOff: 20,
  active: true,
  deactivatedAt: null,
  createdAt: '2026-03-01T12:00:00.000Z',
};
