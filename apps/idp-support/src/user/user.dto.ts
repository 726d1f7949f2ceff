import { ApiPropertyOptional } from '@nestjs/swagger';
import { FlagField, IdField } from '@tandem/service-defaults';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';

const MAX_RECEIPTS = 100;

export class EnrollUserBody {
  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: MAX_RECEIPTS,
    description: 'Subscription receipt tokens of the user; one that is not good refuses all',
  })
  @IsOptional()
  @IsString({ each: true })
  @ArrayMaxSize(MAX_RECEIPTS)
  @IsArray()
  srts?: string[] | null;
}

/** The enrollments are brought in line soon: the id follows it through the logs. */
export class SyncAccepted {
  @FlagField()
  accepted!: true;

  @IdField()
  eventId!: string;
}
