import { Injectable, Logger } from '@nestjs/common';
import { OWN_ALERTS, type StoredAlertData } from '../alert/alert.repository';
import { AlertService } from '../alert/alert.service';
import type { Page } from '../array/alerts';
import { VendorError } from '../array/vendor.errors';
import { IdpApiConfig } from '../config';
import { EntitlementService } from '../entitlement/entitlement.service';
import { type StoredSubscriptions, SUBSCRIPTIONS } from '../entitlement/subscription.repository';
import type { ProfileReading } from '../profile/profile.repository';
import { readSections, type Section, type SectionResult, SectionTimeoutError } from './section';
import { StatusService } from './status.service';

/** Adds to a read of the profile the stored data that the sections need, so that one statement reads everything. */
const DASHBOARD: ProfileReading<StoredSubscriptions & StoredAlertData> = {
  name: 'dashboard',
  columns: { ...SUBSCRIPTIONS.columns, ...OWN_ALERTS.columns },
};

@Injectable()
export class DashboardService {
  private readonly logger = new Logger('dashboard');

  /** The sections, in the order of the answer. */
  private readonly sections: readonly Section[] = [
    {
      name: 'userAlerts',
      read: async (user) => ({ userAlerts: await this.alerts.listOf(user, user.page, {}, user.timeoutMs) }),
    },
    { name: 'creditScoreHistory', code: 'CREDIT_SCORE', read: (user) => this.status.getCreditScores(user) },
    { name: 'dataRemovalProgress', code: 'DATA_REMOVAL', read: (user) => this.status.getScansProgress(user) },
    { name: 'monitorsOverview', read: (user) => this.status.getMonitorsOf(user, user.granted) },
    { name: 'neighborhoodWatchStatus', code: 'NEIGHBORHOOD_WATCH', read: (user) => this.status.getWatchStatus(user) },
    {
      name: 'financialAccountsStatus',
      code: 'FINANCIAL_ACCOUNTS',
      read: (user) => this.status.getFinancialAccounts(user),
    },
  ];

  constructor(
    private readonly config: IdpApiConfig,
    private readonly entitlements: EntitlementService,
    private readonly alerts: AlertService,
    private readonly status: StatusService,
  ) {}

  /**
   * Returns the result of each section, by the section's name.
   *
   * @param page the page of the alert list that the section `userAlerts` contains
   * @throws UserNotFoundError
   */
  async read(krn: string, page: Page): Promise<Record<string, SectionResult>> {
    const { profile, granted } = await this.entitlements.read(krn, DASHBOARD);
    const timeoutMs = this.config.DASHBOARD_SECTION_TIMEOUT_MS;
    return readSections(this.sections, { ...profile, granted, page, timeoutMs }, (section, error) =>
      this.logFailure(section, error),
    );
  }

  private logFailure(section: string, error: unknown): void {
    const { code, message: reason, stack } = error as Error & { code?: string };
    const isExpected = error instanceof VendorError || error instanceof SectionTimeoutError;
    if (isExpected) this.logger.warn({ msg: 'dashboard.section_failed', section, code, reason });
    else this.logger.error({ msg: 'dashboard.section_failed', section, code, reason, stack });
  }
}
