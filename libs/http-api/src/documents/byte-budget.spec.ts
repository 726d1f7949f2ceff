import { ByteBudget } from './byte-budget';

describe('ByteBudget', () => {
  it('can be used up within a second, and is full again in the next second', () => {
    const budget = new ByteBudget(100);
    expect([budget.take(60, 0), budget.take(60, 500), budget.take(1, 999)]).toEqual([true, true, false]);
    expect([budget.take(100, 1_000), budget.take(1, 1_001)]).toEqual([true, false]);
  });

  it('allows one answer that is larger than the whole budget', () => {
    const budget = new ByteBudget(100);
    expect([budget.take(500, 0), budget.take(1, 1)]).toEqual([true, false]);
  });
});
