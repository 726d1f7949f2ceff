import { Injectable } from '@nestjs/common';
import type { Page } from '../array/alerts';
import { NEIGHBORHOOD_WATCH_CLASS } from '../alert/alert.rules';
import { type AlertItem, AlertService } from '../alert/alert.service';
import { EntitlementService } from '../enrollment/entitlement.service';
import { MockService } from '../mock/mock.service';
import type { Profile } from '../profile/profile';
import { utc } from '../array/utc';
import { VendorReports } from '../array/vendor-reports';
import { type NeighborhoodWatchStatus, neighborhoodWatchStatus, type Watch } from './neighborhood-watch.rules';

/** All throw UserNotFoundError, EntitlementsRequiredError and VendorError. */
@Injectable()
export class NeighborhoodWatchService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
    private readonly alerts: AlertService,
    private readonly mocks: MockService,
  ) {}

  async getStatus(krn: string): Promise<NeighborhoodWatchStatus> {
    return this.statusOf(await this.getEntitled(krn));
  }

  async listWatches(krn: string): Promise<Watch[]> {
    const watches = await this.reports.listWatches(await this.getEntitled(krn));
    return watches.map(({ watchId, label, address, radiusMiles, active, createdAt, alertCount }) => ({
      watchId,
      label,
      address,
      radiusMiles,
      active,
      createdAt: utc(createdAt),
      alertCount,
    }));
  }

  async listAlerts(krn: string, page: Page): Promise<AlertItem[]> {
    await this.getEntitled(krn);
    return this.alerts.listOfWatches(krn, page);
  }

  /** The status of a user who is known to be entitled. @param timeoutMs of the vendor's call */
  async statusOf({ krn, arrayUserId }: Profile, timeoutMs?: number): Promise<NeighborhoodWatchStatus> {
    const [watches, samples] = await Promise.all([
      this.reports.listWatches({ arrayUserId, timeoutMs }),
      this.mocks.alertsOf(krn),
    ]);
    return neighborhoodWatchStatus(watches, samples.filter((alert) => alert.class === NEIGHBORHOOD_WATCH_CLASS).length);
  }

  private getEntitled(krn: string): Promise<Profile> {
    return this.entitlements.getGranted(krn, 'NEIGHBORHOOD_WATCH');
  }
}
