import { BUREAUS } from '../array/alerts';
import { SAMPLE_ALERTS, SAMPLE_RECORDS, sampleScans } from './mock-samples';

const CLASSES = [
  'CREDIT_MONITORING',
  'COA',
  'PIM',
  'SSN',
  'NHW',
  'HOME_TITLE',
  'AUTO_TITLE',
  'COURT_RECORD',
  'HIGH_RISK_TRANSACTION',
];

describe('the sample alerts', () => {
  it('cover every bureau and every class, with distinct ids that fit in 31 bits', () => {
    expect(new Set(SAMPLE_ALERTS.map(({ bureau }) => bureau))).toEqual(new Set(BUREAUS));
    expect(new Set(SAMPLE_ALERTS.map((alert) => alert.class))).toEqual(new Set(CLASSES));
    expect(new Set(SAMPLE_ALERTS.map(({ alertId }) => alertId)).size).toBe(SAMPLE_ALERTS.length);
    for (const { alertId } of SAMPLE_ALERTS) expect(alertId).toBeLessThan(2 ** 31);
  });
});

describe('the sample scans', () => {
  it('belong to the user, cover every type and status, and have consistent times and numbers of brokers', () => {
    const scans = sampleScans('user-1');
    expect(new Set(scans.map(({ scanType }) => scanType))).toEqual(new Set(['full', 'rescan', 'realtime']));
    expect(scans.map(({ status, startedAt, stoppedAt }) => [status, startedAt !== null, stoppedAt !== null])).toEqual([
      ['pending', false, false],
      ['running', true, false],
      ['stopped', true, true],
      ['failed', true, true],
      ['completed', true, true],
    ]);
    for (const { customerId, brokerCount, brokerIds } of scans) {
      expect([customerId, brokerCount]).toEqual(['user-1', brokerIds.length]);
    }
  });

  it('each have one entry in the sample records', () => {
    expect(SAMPLE_RECORDS.map(({ scanId }) => scanId)).toEqual(sampleScans('user-1').map(({ id }) => id));
  });
});
