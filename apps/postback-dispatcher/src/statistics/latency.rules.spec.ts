import { firstAttemptFigures } from './latency.rules';

const classes = (...counts: number[]) => [...counts, ...Array<number>(8 - counts.length).fill(0)];

describe('the figures of first attempts', () => {
  it('are null when there were no first attempts', () => {
    expect(firstAttemptFigures({ count: 0, totalMs: 0, classes: classes() })).toEqual({ averageMs: null, p95Ms: null });
  });

  it.each<[string, number[], number | null]>([
    ['the bound of the only latency class with attempts', classes(1), 50],
    ['the bound of the latency class that contains the 95th of 100 attempts', classes(90, 5, 5), 100],
    ['the bound of the next latency class when only 94 of 100 attempts are faster', classes(90, 4, 6), 250],
    ['5 s, the bound of the slowest latency class with a bound', classes(0, 0, 0, 0, 0, 0, 20), 5000],
    ['15 s when the 95th percentile is above 5 s', classes(1, 0, 0, 0, 0, 0, 0, 19), 15_000],
  ])('have as their 95th percentile %s [statistics.postbacks]', (_, counts, p95Ms) => {
    const count = counts.reduce((sum, one) => sum + one, 0);
    expect(firstAttemptFigures({ count, totalMs: 10, classes: counts })).toMatchObject({ p95Ms });
  });

  it('have a rounded average [statistics.postbacks]', () => {
    expect(firstAttemptFigures({ count: 3, totalMs: 100, classes: classes(3) })).toMatchObject({ averageMs: 33 });
  });
});
