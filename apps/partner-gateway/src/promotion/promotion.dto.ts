import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, Matches, Max, Min, ValidateIf } from 'class-validator';

export class CreatePromotionBody {
  @ApiProperty({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Unique; its case does not matter' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'code must be 1 to 64 letters, digits, "-" or "_"' })
  code!: string;

  @ApiProperty({ minimum: 1, maximum: 100 })
  @IsInt()
  @Min(1)
  @Max(100)
  percentOff!: number;

  @ApiPropertyOptional({ default: true, description: 'An active promotion takes the place of the one before' })
  @ValidateIf((_body: object, value: unknown) => value !== undefined)
  @IsBoolean()
  active?: boolean;
}

export class ChangePromotionBody {
  @ApiProperty({ description: 'An active promotion takes the place of the one before' })
  @IsBoolean()
  active!: boolean;
}
