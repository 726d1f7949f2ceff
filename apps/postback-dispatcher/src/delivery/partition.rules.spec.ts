import { expiredPartitions, missingPartitions } from './partition.rules';

const now = new Date('2026-03-04T05:06:07Z');
const partition = (from: string, to: string) => ({ name: `delivery_${from}`, from: new Date(from), to: new Date(to) });

describe('partitions', () => {
  it('cover last week, this week and the next four weeks, without a gap, when none exist yet', () => {
    const made = missingPartitions({ table: 'delivery', existing: [], now, days: 7 });
    expect(made).toHaveLength(6);
    expect(made[0]?.to.getTime()).toBeLessThanOrEqual(now.getTime());
    for (const [index, { from }] of made.entries()) if (index > 0) expect(from).toEqual(made[index - 1]?.to);
    expect(made.at(-1)?.to.getTime()).toBeGreaterThan(now.getTime() + 28 * 86_400_000);
  });

  it('start where the newest existing partition ends, whatever its width', () => {
    const existing = [partition('2026-03-01', '2026-03-02')];
    expect(missingPartitions({ table: 'delivery', existing, now, days: 7 })[0]?.from).toEqual(existing[0]?.to);
  });

  it('are not created when enough partitions exist', () => {
    const existing = [partition('2026-03-01', '2026-12-01')];
    expect(missingPartitions({ table: 'delivery', existing, now, days: 7 })).toEqual([]);
  });

  it('expire when their end is older than the retention', () => {
    const existing = [
      partition('2025-11-01', '2025-12-04'),
      partition('2025-12-04', '2025-12-05'),
      partition('2025-12-05', '2026-12-01'),
    ];
    expect(expiredPartitions(existing, now, 90)).toEqual(existing.slice(0, 1));
  });
});
