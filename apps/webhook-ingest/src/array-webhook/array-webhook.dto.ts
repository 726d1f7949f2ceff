import { IsRecord, IsText } from '@tandem/http-api';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

/** The fields of every webhook of the identity vendor. Only `path` may be missing. */
export class ArrayEnvelope {
  @IsText(1, 100)
  service!: string;

  /** What happened, as a name or a number, such as `push` or 200. A whole number is converted to a string before the validation. */
  @IsText(1, 100)
  event!: string;

  @IsText(1, 100)
  method!: string;

  @IsOptional()
  @IsText(0, 2048)
  path?: string | null;

  @IsRecord()
  details!: Record<string, unknown>;
}

/** The `details` that every webhook contains. */
export class ArrayDetails {
  /** The key that the vendor has given to the platform. */
  @IsText(1, 255)
  appKey!: string;

  /** The user's id at the vendor, which other apps call `arrayUserId`. */
  @IsText(1, 255)
  clientKey!: string;
}

/** The `details` of a webhook that pushes a new alert. */
export class AlertPushDetails extends ArrayDetails {
  /**
   * The name of the bureau, in upper or lower case. The published event contains the name in lower case, which can have up to 100
   * characters, because `İ` has two in lower case.
   */
  @IsText(1, 50)
  bureau!: string;

  @IsText(1, 100)
  alertType!: string;

  @IsOptional()
  @IsText(0, 100)
  alertSubType?: string | null;

  /** The id of the alert. A string that matches NUMERIC_TEXT is converted to a number before the validation. */
  @IsInt({ message: 'must be a whole number' })
  @Min(1, { message: 'must be at least 1' })
  @Max(Number.MAX_SAFE_INTEGER, { message: `must be at most ${Number.MAX_SAFE_INTEGER}` })
  alertId!: number;
}

/** The `details` of a webhook which reports that an enrollment began or ended. */
export class MonitoringDetails extends ArrayDetails {
  @IsText(1, 100)
  productCode!: string;
}
