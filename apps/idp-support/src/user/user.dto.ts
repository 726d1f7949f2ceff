import { ApiPropertyOptional } from '@nestjs/swagger';
import { FlagField, IdField } from '@tandem/http-api';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';

const MAX_RECEIPTS = 100;
const STRINGS = { message: 'srts must be a list of strings' };

export class EnrollUserBody {
  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: MAX_RECEIPTS,
    description: 'Subscription receipt tokens of the user. If one is invalid, all are refused',
  })
  @IsOptional()
  @IsArray(STRINGS)
  @IsString({ each: true, ...STRINGS })
  @ArrayMaxSize(MAX_RECEIPTS, { message: `srts must be a list of at most ${MAX_RECEIPTS}` })
  srts?: string[] | null;
}

/** Confirms that the enrollments will be reconciled soon. idp-api logs the event's id when it has queued the user. */
export class SyncAccepted {
  @FlagField()
  accepted!: true;

  @IdField()
  eventId!: string;
}
