import { recordsOf, scansOf } from './scans';
import type { VendorUser } from './vendor-user';

const SINCE = Date.parse('2026-01-01T00:00:00.000Z');
const USER: VendorUser = {
  clientKey: '0d0b9e6c-0000-5000-8000-000000000000',
  createdAt: new Date(SINCE).toISOString(),
  fields: [],
  enrollments: [{ enrollmentId: 'enr_1', productCode: 'DATA_REMOVAL', status: 'active' }],
  alerts: [],
  sampleSince: new Date(SINCE).toISOString(),
};
const at = (seconds: number): Date => new Date(SINCE + seconds * 1000);

interface Scan {
  id: string;
  scanType: string;
  status: string;
  startedAt: string | null;
  stoppedAt: string | null;
}
type Records = Record<'totalRecords' | 'notInitiated' | 'submitted' | 'confirmed' | 'verified', number>;

const scan = (scanType: string, seconds: number): Scan =>
  (scansOf(USER, at(seconds)) as Scan[]).find((one) => one.scanType === scanType) as Scan;
const records = (seconds: number): Records[] => recordsOf(USER, at(seconds)) as Records[];
const sum = (all: Records[], name: keyof Records): number => all.reduce((total, one) => total + one[name], 0);

describe('scansOf', () => {
  it('returns a scan that goes from pending to running to completed, with its times as soon as they are known', () => {
    const times = [0, 30, 120].map((seconds) => {
      const { status, startedAt, stoppedAt } = scan('realtime', seconds);
      return [status, startedAt, stoppedAt];
    });
    const [started, stopped] = [at(30).toISOString(), at(120).toISOString()];
    expect(times).toEqual([
      ['pending', null, null],
      ['running', started, null],
      ['completed', started, stopped],
    ]);
  });

  it('returns scans of every type and every final status', () => {
    const scans = scansOf(USER, at(0)) as Scan[];
    expect(new Set(scans.map(({ scanType }) => scanType))).toEqual(new Set(['full', 'rescan', 'realtime']));
    expect(scans.map(({ status }) => status)).toEqual(expect.arrayContaining(['completed', 'failed', 'stopped']));
    expect(scans[0]).toMatchObject({ customerId: USER.clientKey, enrollmentId: 'enr_1' });
  });

  it('returns an empty list without sample data, as recordsOf does', () => {
    const { sampleSince, ...bare } = USER;
    expect([sampleSince, scansOf(bare, at(0)), recordsOf(bare, at(0))]).toEqual([expect.any(String), [], []]);
  });
});

describe('recordsOf', () => {
  it.each([0, 10, 45, 90, 200, 100_000])('returns counts that add up to the total after %s s', (seconds) => {
    for (const { totalRecords, notInitiated, submitted, confirmed, verified } of records(seconds)) {
      expect(notInitiated + submitted + confirmed + verified).toBe(totalRecords);
    }
  });

  it('finds and verifies more records over time', () => {
    const totals = [0, 30, 60, 300].map((seconds) => sum(records(seconds), 'totalRecords'));
    const verified = [0, 120, 300, 10_000_000].map((seconds) => sum(records(seconds), 'verified'));
    for (const counts of [totals, verified]) {
      expect(counts).toEqual([...counts].sort((one, other) => one - other));
      expect(counts.at(-1)).toBeGreaterThan(counts[0] as number);
    }
    expect(verified.at(-1)).toBe(totals.at(-1));
  });
});
