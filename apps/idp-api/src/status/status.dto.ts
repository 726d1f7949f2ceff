import { type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { OneOf } from '@tandem/http-api';
import { UserAlertsDto } from '../alert/alert.dto';
import { TITLE_CATEGORIES } from './monitor-categories';
import { ENTITLEMENTS_REQUIRED, PROVIDER_UNAVAILABLE, type SectionResult } from './section';

export class CreditScoreDto {
  @ApiProperty({ example: '712' }) score!: string;
  @ApiProperty({ example: 'exp1bScore' }) productCode!: string;
  @ApiProperty({ format: 'date' }) scoreDate!: string;
}

export class CreditScoresDto {
  @ApiProperty({ type: [CreditScoreDto] }) creditScoreHistory!: CreditScoreDto[];
}

export class FinancialAccountsStatusDto {
  @ApiProperty() hasAccounts!: boolean;
  @ApiProperty({ type: 'integer' }) institutionCount!: number;
  @ApiProperty({ type: 'integer' }) accountCount!: number;
  @ApiProperty() anyNeedsRenewal!: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Number of accounts whose institution requires the user to sign in again',
  })
  needsRenewalCount!: number;
}

/** What is monitored for a user, and what higher plans would add. */
export class MonitorOverviewDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'Number of monitored items in each category that is available to the user',
    example: { emailAddress: 2, ssn: 1, passport: 0 },
  })
  countsByCategory!: Record<string, number>;
  @ApiProperty({ type: 'integer', example: 2, description: 'Number of categories in which something is monitored' })
  monitoredCount!: number;
  @ApiProperty({ type: 'integer', example: 12 }) availableCount!: number;
  @ApiProperty({ type: 'integer', example: 5 }) availableInHigherPlans!: number;
  @ApiProperty({ type: [String], example: TITLE_CATEGORIES }) availableCategoriesInHigherPlans!: string[];
}

const KNOWN_TIME = { type: String, format: 'date-time', nullable: true, description: 'Null until it is known' };

/** A scan of data brokers. */
export class ScanDto {
  @ApiProperty() id!: string;
  @ApiProperty() customerId!: string;
  @ApiProperty() enrollmentId!: string;
  @ApiProperty({ type: 'integer' }) brokerCount!: number;
  @ApiProperty({ type: [String] }) brokerIds!: string[];
  @ApiProperty() realtime!: boolean;
  @ApiProperty({ description: '`full`, `rescan` or `realtime`', example: 'full' }) scanType!: string;
  @ApiProperty({
    description: '`pending`, then `running`, then `completed`, `failed` or `stopped`',
    example: 'pending',
  })
  status!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) modifiedAt!: string;
  @ApiProperty(KNOWN_TIME) startedAt!: string | null;
  @ApiProperty(KNOWN_TIME) stoppedAt!: string | null;
}

/** The progress of the removal of records: of those that one scan found, or of those that all scans found. */
export class RemovalProgressDto {
  @ApiProperty({ type: 'integer', example: 8, description: 'The sum of the four counts' }) totalRecords!: number;
  @ApiProperty({ type: 'integer', example: 1 }) notInitiated!: number;
  @ApiProperty({ type: 'integer', example: 3 }) submitted!: number;
  @ApiProperty({ type: 'integer', example: 2 }) confirmed!: number;
  @ApiProperty({ type: 'integer', example: 2 }) verified!: number;
  /** The value is 0 when there are no records. */
  @ApiProperty({
    minimum: 0,
    maximum: 100,
    example: 25,
    description: 'Percentage of the records that are verified, with one decimal',
  })
  percentCompleted!: number;
}

export class ScanProgressDto extends RemovalProgressDto {
  @ApiProperty() scanId!: string;
}

export class ScansProgressDto {
  @ApiProperty() totals!: RemovalProgressDto;
  @ApiProperty({ type: [ScanProgressDto] }) perScan!: ScanProgressDto[];
}

export class NeighborhoodWatchStatusDto {
  @ApiProperty() hasWatches!: boolean;
  @ApiProperty({ type: 'integer' }) watchAlertCount!: number;
}

/** An address whose neighborhood is watched. */
export class WatchDto {
  @ApiProperty() watchId!: string;
  @ApiProperty({ example: 'Home' }) label!: string;
  @ApiProperty() address!: string;
  @ApiProperty() radiusMiles!: number;
  @ApiProperty() active!: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: 'integer' }) alertCount!: number;
}

export class WatchesDto {
  @ApiProperty({ type: [WatchDto] }) watches!: WatchDto[];
}

/** A section with the text of an error instead of a payload. */
class SectionErr {
  @ApiProperty({ enum: [PROVIDER_UNAVAILABLE, ENTITLEMENTS_REQUIRED], enumName: 'SectionError' }) Err!: string;
}

/** Declares a field that contains a section: an object with exactly one of `Ok` and `Err`. */
const Result = (payload: Type): PropertyDecorator => ApiProperty({ type: sectionOf(payload) });

/** Returns the class `XSection` for the payload `XDto`: either `XOk` or {@link SectionErr}. */
function sectionOf(payload: Type): Type {
  const name = payload.name.replace(/Dto$/, '');
  const ok = classNamed(`${name}Ok`);
  ApiProperty({ type: payload })(ok.prototype as object, 'Ok');
  const section = classNamed(`${name}Section`);
  OneOf(ok, SectionErr)(section);
  return section;
}

const classNamed = (name: string): Type => Object.defineProperty(class {}, 'name', { value: name });

/** The dashboard. Each section has `Ok` with its payload, or `Err`. A section that fails does not affect the others. */
export class DashboardDto {
  @Result(UserAlertsDto) userAlerts!: SectionResult;
  @Result(CreditScoresDto) creditScoreHistory!: SectionResult;
  @Result(ScansProgressDto) dataRemovalProgress!: SectionResult;
  @Result(MonitorOverviewDto) monitorsOverview!: SectionResult;
  @Result(NeighborhoodWatchStatusDto) neighborhoodWatchStatus!: SectionResult;
  @Result(FinancialAccountsStatusDto) financialAccountsStatus!: SectionResult;
}
