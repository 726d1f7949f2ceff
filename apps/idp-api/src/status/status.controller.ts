import { Controller, Get } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { PageQuery, pageOf, UserAlertsDto } from '../alert/alert.dto';
import { AlertService } from '../alert/alert.service';
import { ClientQuery } from '../bad-request/client-input.decorator';
import { VENDOR_FAILURES } from '../array/vendor.errors';
import { InputValidationError } from '../bad-request/input-validation.errors';
import { users } from '../client-authentication/client.access';
import { type ClientUser, CurrentUser, Endpoint } from '@tandem/http-api';
import { EntitlementsRequiredError } from '../entitlement/entitlement.errors';
import { EntitlementService } from '../entitlement/entitlement.service';
import { UserNotFoundError } from '../profile/profile.errors';
import * as dto from './status.dto';
import { StatusService } from './status.service';

const ENTITLED = { access: users(), errors: [...VENDOR_FAILURES, UserNotFoundError, EntitlementsRequiredError] };

@Controller('idp/array/users/me/credit-scores')
export class CreditScoreController {
  constructor(
    private readonly status: StatusService,
    private readonly entitlements: EntitlementService,
  ) {}

  @Get()
  @Endpoint({ ...ENTITLED, tag: 'Status', summary: 'List credit scores', answer: { type: dto.CreditScoresDto } })
  async listCreditScores(@CurrentUser() { krn }: ClientUser): Promise<dto.CreditScoresDto> {
    return this.status.getCreditScores(await this.entitlements.getGranted(krn, 'CREDIT_SCORE'));
  }
}

@Controller('idp/array/users/me/financial-accounts')
export class FinancialAccountController {
  constructor(
    private readonly status: StatusService,
    private readonly entitlements: EntitlementService,
  ) {}

  @Get('status')
  @Endpoint({
    ...ENTITLED,
    tag: 'Status',
    summary: 'Read how many financial accounts are linked',
    answer: { type: dto.FinancialAccountsStatusDto },
  })
  async getFinancialAccountsStatus(@CurrentUser() { krn }: ClientUser): Promise<dto.FinancialAccountsStatusDto> {
    return this.status.getFinancialAccounts(await this.entitlements.getGranted(krn, 'FINANCIAL_ACCOUNTS'));
  }
}

@Controller('idp/array/users/me/monitors')
export class MonitorController {
  constructor(private readonly status: StatusService) {}

  @Get('overview')
  @Endpoint({
    access: users(),
    tag: 'Status',
    summary: 'Read what is monitored and what could be monitored',
    answer: { type: dto.MonitorOverviewDto },
    errors: [...VENDOR_FAILURES, UserNotFoundError],
  })
  getMonitorOverview(@CurrentUser() { krn }: ClientUser): Promise<dto.MonitorOverviewDto> {
    return this.status.getMonitors(krn);
  }
}

const WATCHES = { ...ENTITLED, tag: 'Neighborhood Watch' };

@Controller('idp/array/users/me/nhw')
export class NeighborhoodWatchController {
  constructor(
    private readonly status: StatusService,
    private readonly alerts: AlertService,
    private readonly entitlements: EntitlementService,
  ) {}

  @Get('status')
  @Endpoint({
    ...WATCHES,
    summary: 'Read whether the user has watches, and how many alerts they raised',
    answer: { type: dto.NeighborhoodWatchStatusDto },
  })
  async getNeighborhoodWatchStatus(@CurrentUser() { krn }: ClientUser): Promise<dto.NeighborhoodWatchStatusDto> {
    return this.status.getWatchStatus(await this.entitlements.getGranted(krn, 'NEIGHBORHOOD_WATCH'));
  }

  @Get('alerts')
  @ApiQuery({ type: PageQuery })
  @Endpoint({
    ...WATCHES,
    access: users({ secondFactor: true }),
    summary: 'List the alerts of the watches, newest first',
    answer: { type: UserAlertsDto },
    errors: [...WATCHES.errors, new InputValidationError(['count'])],
  })
  async listNeighborhoodWatchAlerts(
    @CurrentUser() { krn }: ClientUser,
    @ClientQuery(PageQuery) query: PageQuery,
  ): Promise<UserAlertsDto> {
    await this.entitlements.getGranted(krn, 'NEIGHBORHOOD_WATCH');
    return { userAlerts: await this.alerts.listOfWatches(krn, pageOf(query)) };
  }

  @Get('watches')
  @Endpoint({
    ...WATCHES,
    access: users({ secondFactor: true }),
    summary: 'List the watched addresses',
    answer: { type: dto.WatchesDto },
  })
  async listWatches(@CurrentUser() { krn }: ClientUser): Promise<dto.WatchesDto> {
    return this.status.getWatches(await this.entitlements.getGranted(krn, 'NEIGHBORHOOD_WATCH'));
  }
}

const SCANS = { ...ENTITLED, tag: 'Scans' };

@Controller('idp/array/users/me/scans')
export class ScanController {
  constructor(
    private readonly status: StatusService,
    private readonly entitlements: EntitlementService,
  ) {}

  @Get()
  @Endpoint({ ...SCANS, summary: 'List scans of data brokers', answer: { type: [dto.ScanDto] } })
  async listScans(@CurrentUser() { krn }: ClientUser): Promise<dto.ScanDto[]> {
    return this.status.listScans(await this.entitlements.getGranted(krn, 'DATA_REMOVAL'));
  }

  @Get('progress')
  @Endpoint({
    ...SCANS,
    summary: 'Read the progress of record removal',
    answer: { type: dto.ScansProgressDto },
  })
  async getScansProgress(@CurrentUser() { krn }: ClientUser): Promise<dto.ScansProgressDto> {
    return this.status.getScansProgress(await this.entitlements.getGranted(krn, 'DATA_REMOVAL'));
  }
}
