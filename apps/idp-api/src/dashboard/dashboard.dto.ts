import { type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { UserAlertsDto } from '../alert/alert.dto';
import { CreditScoresDto } from '../credit-score/credit-score.dto';
import { FinancialAccountsStatusDto } from '../financial-account/financial-account.dto';
import { MonitorOverviewDto } from '../monitor/monitor.dto';
import { NeighborhoodWatchStatusDto } from '../neighborhood-watch/neighborhood-watch.dto';
import { ScansProgressDto } from '../scan/scan.dto';
import { ENTITLEMENTS_REQUIRED, PROVIDER_UNAVAILABLE, type SectionResult } from './section';

/** The class of a section: exactly one of both fields. */
function resultOf(payload: Type): Type {
  class Result {
    @ApiProperty({ type: payload, required: false })
    Ok?: object;

    @ApiProperty({ required: false, enum: [PROVIDER_UNAVAILABLE, ENTITLEMENTS_REQUIRED] })
    Err?: string;
  }
  Object.defineProperty(Result, 'name', { value: payload.name.replace(/Dto$/, 'Result') });
  return Result;
}

/** The field of a section. */
const Result = (payload: Type): PropertyDecorator => ApiProperty({ type: resultOf(payload) });

/** Each section has `Ok` with its payload or `Err`; one that fails leaves the others alone. */
export class DashboardDto {
  @Result(UserAlertsDto)
  userAlerts!: SectionResult;

  @Result(CreditScoresDto)
  creditScoreHistory!: SectionResult;

  @Result(ScansProgressDto)
  dataRemovalProgress!: SectionResult;

  @Result(MonitorOverviewDto)
  monitorsOverview!: SectionResult;

  @Result(NeighborhoodWatchStatusDto)
  neighborhoodWatchStatus!: SectionResult;

  @Result(FinancialAccountsStatusDto)
  financialAccountsStatus!: SectionResult;
}
