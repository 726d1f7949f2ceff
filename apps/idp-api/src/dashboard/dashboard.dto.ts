import { type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { UserAlertsDto } from '../alert/alert.dto';
import { CreditScoresDto } from '../credit-score/credit-score.dto';
import { FinancialAccountsStatusDto } from '../financial-account/financial-account.dto';
import { MonitorOverviewDto } from '../monitor/monitor.dto';
import { NeighborhoodWatchStatusDto } from '../neighborhood-watch/neighborhood-watch.dto';
import { ScansProgressDto } from '../scan/scan.dto';
import { ENTITLEMENTS_REQUIRED, PROVIDER_UNAVAILABLE, type SectionResult } from './section';

const PAYLOADS = [
  UserAlertsDto,
  CreditScoresDto,
  ScansProgressDto,
  MonitorOverviewDto,
  NeighborhoodWatchStatusDto,
  FinancialAccountsStatusDto,
];

const only = (field: string, schema: object): object => ({
  type: 'object',
  required: [field],
  properties: { [field]: schema },
});

/** The field of a section: exactly one of `Ok` and `Err`. */
const Result = (payload: Type): PropertyDecorator =>
  ApiProperty({
    oneOf: [
      only('Ok', { $ref: getSchemaPath(payload) }),
      only('Err', { type: 'string', enum: [PROVIDER_UNAVAILABLE, ENTITLEMENTS_REQUIRED] }),
    ],
  });

/** Each section has `Ok` with its payload or `Err`; one that fails leaves the others alone. */
@ApiExtraModels(...PAYLOADS)
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
