import { Injectable } from '@nestjs/common';
import { EntitlementService } from '../enrollment/entitlement.service';
import { SAMPLE_RECORDS, sampleScans } from '../mock/mock-samples';
import { MockService } from '../mock/mock.service';
import type { Profile } from '../profile/profile';
import { utc } from '../array/utc';
import { VendorReports } from '../array/vendor-reports';
import type { VendorScan } from '../array/vendor-reports.shapes';
import { type ScansProgress, scansProgress } from './scan.rules';

/** A scan of data brokers as the user sees it. Times are ISO 8601 in UTC, null until they are known. */
export type Scan = Omit<VendorScan, 'startedAt' | 'stoppedAt'> & { startedAt: string | null; stoppedAt: string | null };

/** The scans for a user's personal records, and their removal. */
@Injectable()
export class ScanService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
    private readonly mocks: MockService,
  ) {}

  /** @throws UserNotFoundError, EntitlementsRequiredError, VendorError */
  async list(krn: string): Promise<Scan[]> {
    const profile = await this.getEntitled(krn);
    const [scans, hasSamples] = await Promise.all([this.reports.listScans(profile), this.mocks.hasScans(krn)]);
    return [...(hasSamples ? sampleScans(profile.arrayUserId) : []), ...scans].map(scanOf);
  }

  /** @throws UserNotFoundError, EntitlementsRequiredError, VendorError */
  async getProgress(krn: string): Promise<ScansProgress> {
    return this.progressOf(await this.getEntitled(krn));
  }

  /** The same for a user who is known to be entitled. @param timeoutMs of the vendor's call @throws VendorError */
  async progressOf({ krn, arrayUserId }: Profile, timeoutMs?: number): Promise<ScansProgress> {
    const [records, hasSamples] = await Promise.all([
      this.reports.listRemovalRecords({ arrayUserId, timeoutMs }),
      this.mocks.hasScans(krn),
    ]);
    return scansProgress([...(hasSamples ? SAMPLE_RECORDS : []), ...records]);
  }

  private getEntitled(krn: string): Promise<Profile> {
    return this.entitlements.getGranted(krn, 'DATA_REMOVAL');
  }
}

const scanOf = (scan: VendorScan): Scan => ({
  id: scan.id,
  customerId: scan.customerId,
  enrollmentId: scan.enrollmentId,
  brokerCount: scan.brokerCount,
  brokerIds: scan.brokerIds,
  realtime: scan.realtime,
  scanType: scan.scanType,
  status: scan.status,
  createdAt: utc(scan.createdAt),
  modifiedAt: utc(scan.modifiedAt),
  startedAt: scan.startedAt ? utc(scan.startedAt) : null,
  stoppedAt: scan.stoppedAt ? utc(scan.stoppedAt) : null,
});
