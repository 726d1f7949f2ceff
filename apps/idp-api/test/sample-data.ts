import { alertsOf } from './reader';
import type { VendorData } from './vendor-reports';

const AT = '2026-01-05T10:00:00.000Z';

/** Returns sample data for everything that the vendor can know about a user. */
export const SAMPLE_DATA = (): VendorData => ({
  alerts: alertsOf(3, 5_000),
  creditScoreHistory: [
    { score: '712', productCode: 'exp1bScore', scoreDate: '2026-01-05', model: 'vendor’s own' },
    { score: '705', productCode: 'exp1bScore', scoreDate: '2025-12-05', model: 'vendor’s own' },
  ],
  scans: [scan('s3', 'pending', null, null), scan('s2', 'running', AT, null), scan('s1', 'completed', AT, AT)],
  perScan: [
    { scanId: 's2', totalRecords: 3, notInitiated: 1, submitted: 1, confirmed: 1, verified: 0 },
    { scanId: 's1', totalRecords: 6, notInitiated: 0, submitted: 1, confirmed: 1, verified: 4 },
  ],
  monitors: [
    { category: 'ssn', count: 1 },
    { category: 'emailAddress', count: 2 },
    { category: 'homeTitle', count: 1 },
  ],
  watches: [watch('w1', 2), watch('w2', 1)],
  institutions: [
    {
      institutionId: 'i1',
      name: 'Bank',
      accounts: [
        { accountId: 'a1', needsRenewal: false },
        { accountId: 'a2', needsRenewal: true },
      ],
    },
    { institutionId: 'i2', name: 'Union', accounts: [{ accountId: 'a3', needsRenewal: true }] },
  ],
});

function scan(id: string, status: string, startedAt: string | null, stoppedAt: string | null): object {
  return {
    id,
    customerId: 'c1',
    enrollmentId: 'e1',
    brokerCount: 2,
    brokerIds: ['b1', 'b2'],
    realtime: false,
    scanType: 'full',
    status,
    createdAt: AT,
    modifiedAt: AT,
    startedAt,
    stoppedAt,
    vendorsOwn: true,
  };
}

const watch = (watchId: string, alertCount: number): object => ({
  watchId,
  label: 'Home',
  address: '12 Larkspur Lane',
  radiusMiles: 1.5,
  active: true,
  createdAt: AT,
  alertCount,
  vendorsOwn: true,
});
