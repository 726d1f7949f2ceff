import { trendOf } from './memory';

const MEGABYTE = 1024 * 1024;
/** Returns samples with these heap sizes in MB. All samples have the same resident memory. */
const samples = (...heaps: number[]) => heaps.map((heap) => ({ heapUsed: heap * MEGABYTE, rss: 200 * MEGABYTE }));

describe('trendOf', () => {
  it('ignores the first fifth of the samples, which is the warm-up', () => {
    expect(trendOf('app', samples(20, 100, 100, 100, 100))).toMatchObject({ heapUsed: [100, 100], grows: false });
  });

  it('uses medians, so that one peak does not count as growth', () => {
    const fifths = [10, 10, 10, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 500, 100];
    expect(trendOf('app', samples(...fifths)).grows).toBe(false);
  });

  it('allows growth by a quarter or by 40 MB, whichever is larger, and reports larger growth', () => {
    const after = (before: number, end: number) => trendOf('app', samples(before, before, before, before, end)).grows;
    expect([after(40, 79), after(40, 81), after(400, 499), after(400, 501)]).toEqual([false, true, false, true]);
  });
});
