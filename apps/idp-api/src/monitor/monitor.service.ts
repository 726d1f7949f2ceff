import { Injectable } from '@nestjs/common';
import { EntitlementService } from '../enrollment/entitlement.service';
import type { EnrollmentCode } from '../array/enrollment-codes';
import { SUBSCRIPTIONS } from '../enrollment/subscription.repository';
import { type ReportRequest, VendorReports } from '../array/vendor-reports';
import { type MonitorOverview, monitorOverview } from './monitor.rules';

@Injectable()
export class MonitorService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
  ) {}

  /** @throws UserNotFoundError, VendorError */
  async getOverview(krn: string): Promise<MonitorOverview> {
    const { profile, granted } = await this.entitlements.read(krn, SUBSCRIPTIONS);
    return this.overviewOf(profile, granted);
  }

  /** The same for a user whose granted codes are known. @throws VendorError */
  async overviewOf(request: ReportRequest, granted: ReadonlySet<EnrollmentCode>): Promise<MonitorOverview> {
    return monitorOverview(await this.reports.listMonitors(request), granted.has('TITLE_MONITORING'));
  }
}
