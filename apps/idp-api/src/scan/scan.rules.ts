import type { VendorScanRecords } from '../array/vendor-reports.shapes';

/** Of one scan, or of all. */
export interface RemovalProgress {
  readonly totalRecords: number;
  readonly notInitiated: number;
  readonly submitted: number;
  readonly confirmed: number;
  readonly verified: number;
  /** The share of the verified, 0 to 100 with one decimal; 0 when there are no records. */
  readonly percentCompleted: number;
}

export interface ScansProgress {
  readonly totals: RemovalProgress;
  readonly perScan: ({ readonly scanId: string } & RemovalProgress)[];
}

type Counts = Omit<VendorScanRecords, 'scanId'>;

/** How far the removal of a user's records is. */
export function scansProgress(scans: readonly VendorScanRecords[]): ScansProgress {
  const all = { notInitiated: 0, submitted: 0, confirmed: 0, verified: 0 };
  for (const scan of scans) for (const state of STATES) all[state] += scan[state];
  return { totals: progressOf(all), perScan: scans.map((scan) => ({ scanId: scan.scanId, ...progressOf(scan) })) };
}

const STATES = ['notInitiated', 'submitted', 'confirmed', 'verified'] as const;

function progressOf({ notInitiated, submitted, confirmed, verified }: Counts): RemovalProgress {
  const totalRecords = notInitiated + submitted + confirmed + verified;
  const percentCompleted = totalRecords === 0 ? 0 : Math.round((verified * 1000) / totalRecords) / 10;
  return { totalRecords, notInitiated, submitted, confirmed, verified, percentCompleted };
}
