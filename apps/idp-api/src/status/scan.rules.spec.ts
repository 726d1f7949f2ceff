import { scansProgress } from './scan.rules';

const counts = (notInitiated: number, submitted: number, confirmed: number, verified: number) => ({
  notInitiated,
  submitted,
  confirmed,
  verified,
});

describe('scansProgress', () => {
  it('adds up the four counts of each scan, and of all scans together', () => {
    const progress = scansProgress([
      { scanId: 's1', ...counts(1, 2, 3, 4) },
      { scanId: 's2', ...counts(10, 0, 0, 10) },
    ]);
    expect(progress).toEqual({
      totals: { totalRecords: 30, ...counts(11, 2, 3, 14), percentCompleted: 46.7 },
      perScan: [
        { scanId: 's1', totalRecords: 10, ...counts(1, 2, 3, 4), percentCompleted: 40 },
        { scanId: 's2', totalRecords: 20, ...counts(10, 0, 0, 10), percentCompleted: 50 },
      ],
    });
  });

  it('reports 0 percent when there are no scans, and for a scan without records', () => {
    expect(scansProgress([])).toEqual({
      totals: { totalRecords: 0, ...counts(0, 0, 0, 0), percentCompleted: 0 },
      perScan: [],
    });
    expect(scansProgress([{ scanId: 's1', ...counts(0, 0, 0, 0) }]).perScan[0]?.percentCompleted).toBe(0);
  });

  it.each([
    [counts(1, 0, 0, 2), 66.7],
    [counts(2, 0, 0, 998), 99.8],
    [counts(0, 0, 0, 7), 100],
    [counts(2, 0, 0, 1), 33.3],
    [counts(0, 5, 5, 0), 0],
  ])('computes from %p that %p percent of the records are verified', (scan, percent) => {
    expect(scansProgress([{ scanId: 's', ...scan }]).totals.percentCompleted).toBe(percent);
  });
});
