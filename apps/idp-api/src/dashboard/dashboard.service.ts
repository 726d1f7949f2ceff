import { Inject, Injectable, Logger } from '@nestjs/common';
import { OWN_ALERTS, type StoredAlertData } from '../alert/alert.repository';
import type { Page } from '../array/alerts';
import { IdpApiConfig } from '../config';
import { EntitlementService } from '../enrollment/entitlement.service';
import { type StoredSubscriptions, SUBSCRIPTIONS } from '../enrollment/subscription.repository';
import type { ProfileReading } from '../profile/profile.repository';
import { VendorError } from '../array/vendor.errors';
import { readSections, type Section, type SectionResult, SectionTimeoutError } from './section';

/** What of a user is ours, by one statement for all sections. */
const DASHBOARD: ProfileReading<StoredSubscriptions & StoredAlertData> = {
  name: 'dashboard',
  columns: { ...SUBSCRIPTIONS.columns, ...OWN_ALERTS.columns },
};

export const DASHBOARD_SECTIONS = Symbol('the sections of the dashboard');

@Injectable()
export class DashboardService {
  private readonly logger = new Logger('dashboard');

  constructor(
    private readonly config: IdpApiConfig,
    private readonly entitlements: EntitlementService,
    @Inject(DASHBOARD_SECTIONS) private readonly sections: readonly Section[],
  ) {}

  /** @param page of the alerts @throws UserNotFoundError */
  async read(krn: string, page: Page): Promise<Record<string, SectionResult>> {
    const { profile, granted } = await this.entitlements.read(krn, DASHBOARD);
    const timeoutMs = this.config.DASHBOARD_SECTION_TIMEOUT_MS;
    return readSections(this.sections, { profile, granted, page, timeoutMs }, (section, error) =>
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
