import { Injectable } from '@nestjs/common';
import { NEIGHBORHOOD_WATCH_CLASS } from '../alert/alert.rules';
import type { EnrollmentCode } from '../array/enrollment-codes';
import { type ReportRequest, VendorReports } from '../array/vendor-reports';
import { EntitlementService } from '../entitlement/entitlement.service';
import { SUBSCRIPTIONS } from '../entitlement/subscription.repository';
import { SAMPLE_RECORDS, sampleScans } from '../mock/mock-samples';
import { MockService } from '../mock/mock.service';
import type { Profile } from '../profile/profile';
import { monitorOverview } from './monitor.rules';
import { scanOf, scansProgress } from './scan.rules';
import type * as dto from './status.dto';
import { financialAccountsStatus, neighborhoodWatchStatus, watchOf } from './status.rules';

/** A user, and how long to wait for the vendor. */
type UserRequest = Profile & ReportRequest;

/**
 * Reads what the vendor knows about a user, and converts it to the form that the user sees. Callers check the user's entitlements first,
 * except for the monitors, which need none. All methods throw VendorError when the vendor fails.
 */
@Injectable()
export class StatusService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
    private readonly mocks: MockService,
  ) {}

  async getCreditScores(request: ReportRequest): Promise<dto.CreditScoresDto> {
    const scores = await this.reports.listCreditScores(request);
    return {
      creditScoreHistory: scores.map(({ score, productCode, scoreDate }) => ({
        score,
        productCode,
        scoreDate: scoreDate.slice(0, 'YYYY-MM-DD'.length),
      })),
    };
  }

  async getFinancialAccounts(request: ReportRequest): Promise<dto.FinancialAccountsStatusDto> {
    return financialAccountsStatus(await this.reports.listInstitutions(request));
  }

  /** @throws UserNotFoundError */
  async getMonitors(krn: string): Promise<dto.MonitorOverviewDto> {
    const { profile, granted } = await this.entitlements.read(krn, SUBSCRIPTIONS);
    return this.getMonitorsOf(profile, granted);
  }

  /** Returns the overview of monitors for a user whose granted codes the caller has already read. */
  async getMonitorsOf(request: ReportRequest, granted: ReadonlySet<EnrollmentCode>): Promise<dto.MonitorOverviewDto> {
    return monitorOverview(await this.reports.listMonitors(request), granted.has('TITLE_MONITORING'));
  }

  async getWatchStatus(user: UserRequest): Promise<dto.NeighborhoodWatchStatusDto> {
    const [watches, samples] = await Promise.all([this.reports.listWatches(user), this.mocks.alertsOf(user.krn)]);
    return neighborhoodWatchStatus(watches, samples.filter((alert) => alert.class === NEIGHBORHOOD_WATCH_CLASS).length);
  }

  async getWatches(request: ReportRequest): Promise<dto.WatchesDto> {
    return { watches: (await this.reports.listWatches(request)).map(watchOf) };
  }

  async listScans(user: UserRequest): Promise<dto.ScanDto[]> {
    const [scans, hasSamples] = await Promise.all([this.reports.listScans(user), this.mocks.hasScans(user.krn)]);
    return [...(hasSamples ? sampleScans(user.arrayUserId) : []), ...scans].map(scanOf);
  }

  /** Returns the progress of the removal of the records that the scans found. */
  async getScansProgress(user: UserRequest): Promise<dto.ScansProgressDto> {
    const [records, hasSamples] = await Promise.all([
      this.reports.listRemovalRecords(user),
      this.mocks.hasScans(user.krn),
    ]);
    return scansProgress([...(hasSamples ? SAMPLE_RECORDS : []), ...records]);
  }
}
