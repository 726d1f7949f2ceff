import { utc } from '../array/utc';
import type { VendorScan, VendorScanRecords } from '../array/vendor-reports-shapes';
import type { RemovalProgressDto, ScanDto, ScansProgressDto } from './status.dto';

const STATES = ['notInitiated', 'submitted', 'confirmed', 'verified'] as const;

/** Computes the progress of the removal of a user's records. */
export function scansProgress(scans: readonly VendorScanRecords[]): ScansProgressDto {
  const all = { notInitiated: 0, submitted: 0, confirmed: 0, verified: 0 };
  for (const scan of scans) for (const state of STATES) all[state] += scan[state];
  return { totals: progressOf(all), perScan: scans.map((scan) => ({ scanId: scan.scanId, ...progressOf(scan) })) };
}

function progressOf(counts: Omit<VendorScanRecords, 'scanId'>): RemovalProgressDto {
  const { notInitiated, submitted, confirmed, verified } = counts;
  const totalRecords = notInitiated + submitted + confirmed + verified;
  const percentCompleted = totalRecords === 0 ? 0 : Math.round((verified * 1000) / totalRecords) / 10;
  return { totalRecords, notInitiated, submitted, confirmed, verified, percentCompleted };
}

/** Converts a scan of data brokers to the form that the user sees. */
export const scanOf = (scan: VendorScan): ScanDto => ({
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
