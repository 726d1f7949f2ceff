import { IsArray, IsBoolean, IsInt, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { MAX_ALERT_ID } from './alerts';
import { ListOf } from './vendor-answer';

/*
 * The fields that we use from the lists that VendorReports reads from the vendor. If a required field is missing or a field is invalid,
 * VendorReports throws VendorError. Unknown fields are allowed.
 */

/**
 * The form of a date-time of RFC 3339. To save time, only the form is checked: a page of 50 alerts contains a hundred date-times.
 */
const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** An alert in the vendor's list. */
export class VendorAlert {
  /** The alert's id, unique among the user's alerts of all bureaus. */
  @IsInt() @Min(1) @Max(MAX_ALERT_ID) alertId!: number;
  @IsString() bureau!: string;
  /** The alert's class, one of an open set: the vendor may add others. */
  @IsString() class!: string;
  @Matches(DATE_TIME) createDate!: string;
  @Matches(DATE_TIME) updatedDate!: string;
}

/** A part of a user's alerts, newest first. */
export class VendorAlertPage {
  @ListOf(() => VendorAlert) alerts!: VendorAlert[];
}

export class VendorCreditScore {
  @IsString() score!: string;
  @IsString() productCode!: string;
  /** YYYY-MM-DD; a time after the date is ignored. */
  @Matches(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T|$)/) scoreDate!: string;
}

export class VendorCreditScores {
  @ListOf(() => VendorCreditScore) creditScoreHistory!: VendorCreditScore[];
}

/** One scan of data brokers. */
export class VendorScan {
  @IsString() id!: string;
  @IsString() customerId!: string;
  @IsString() enrollmentId!: string;
  @IsInt() @Min(0) brokerCount!: number;
  @IsArray() @IsString({ each: true }) brokerIds!: string[];
  @IsBoolean() realtime!: boolean;
  @IsString() scanType!: string;
  @IsString() status!: string;
  @Matches(DATE_TIME) createdAt!: string;
  @Matches(DATE_TIME) modifiedAt!: string;
  @IsOptional() @Matches(DATE_TIME) startedAt?: string | null;
  @IsOptional() @Matches(DATE_TIME) stoppedAt?: string | null;
}

export class VendorScans {
  @ListOf(() => VendorScan) scans!: VendorScan[];
}

/** How many of the records that one scan found are in each state of removal. Each record is counted once. */
export class VendorScanRecords {
  @IsString() scanId!: string;
  @IsInt() @Min(0) notInitiated!: number;
  @IsInt() @Min(0) submitted!: number;
  @IsInt() @Min(0) confirmed!: number;
  @IsInt() @Min(0) verified!: number;
}

export class VendorRemovalRecords {
  @ListOf(() => VendorScanRecords) perScan!: VendorScanRecords[];
}

export class VendorMonitor {
  @IsString() category!: string;
  @IsInt() @Min(0) count!: number;
}

export class VendorMonitors {
  @ListOf(() => VendorMonitor) monitors!: VendorMonitor[];
}

/** An address whose neighborhood is watched. */
export class VendorWatch {
  @IsString() watchId!: string;
  @IsString() label!: string;
  @IsString() address!: string;
  @IsNumber() @Min(0) radiusMiles!: number;
  @IsBoolean() active!: boolean;
  @Matches(DATE_TIME) createdAt!: string;
  @IsInt() @Min(0) alertCount!: number;
}

export class VendorWatches {
  @ListOf(() => VendorWatch) watches!: VendorWatch[];
}

export class VendorAccount {
  /** Whether the user has to sign in at the institution again. */
  @IsBoolean() needsRenewal!: boolean;
}

export class VendorInstitution {
  @ListOf(() => VendorAccount) accounts!: VendorAccount[];
}

export class VendorInstitutions {
  @ListOf(() => VendorInstitution) institutions!: VendorInstitution[];
}
