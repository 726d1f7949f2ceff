import { setImmediate as nextTurn } from 'node:timers/promises';
import { InFlightBudget } from './in-flight-budget';

const nothing = (): void => undefined;
const never = (): void => {
  throw new Error('called although nothing is free');
};

/** Returns a budget of 16 requests. Endpoints with a backlog have taken all 14 that are not reserved. */
async function withBacklogs(): Promise<InFlightBudget> {
  const budget = new InFlightBudget(16);
  for (let taken = 0; taken < 14; taken++) {
    if (taken % 4 === 0) await nextTurn();
    expect(budget.take(never, false)).toBe(true);
  }
  expect(budget.take(nothing, false)).toBe(false);
  return budget;
}

describe('the budget of requests in flight', () => {
  it('reserves an eighth of its requests for the first requests of endpoints without a backlog', async () => {
    const budget = await withBacklogs();
    const taken = [budget.take(never, true), budget.take(never, true), budget.take(nothing, true)];
    expect(taken).toEqual([true, true, false]);
  });

  it('calls back callers with a first request before all other callers', async () => {
    const budget = await withBacklogs();
    const called: string[] = [];
    for (let endpoint = 0; endpoint < 1_000; endpoint++) budget.take(() => called.push(`backlog ${endpoint}`), false);
    for (let taken = 0; taken < 2; taken++) budget.take(never, true);
    budget.take(() => void (called.push('first') && budget.take(never, true)), true);
    budget.giveBack();
    expect(called).toEqual(['first']);
  });

  it('starts at most 4 requests per turn of the event loop, not counting first requests', async () => {
    const budget = new InFlightBudget(1_000);
    const started: number[] = [];
    const start = (endpoint: number): void => {
      if (budget.take(() => start(endpoint), false)) started.push(endpoint);
    };
    for (let endpoint = 0; endpoint < 10; endpoint++) start(endpoint);
    expect(started).toHaveLength(4);
    expect(budget.take(never, true)).toBe(true);
    await nextTurn();
    expect(started).toHaveLength(8);
    await nextTurn();
    expect(started).toEqual(Array.from({ length: 10 }, (_, endpoint) => endpoint));
  });

  it('calls back endpoints with a backlog in the order of their calls, as long as an unreserved request is free', async () => {
    const budget = await withBacklogs();
    await nextTurn();
    const called: string[] = [];
    for (const name of ['a', 'b']) budget.take(() => void (called.push(name) && budget.take(never, false)), false);
    budget.giveBack();
    expect(called).toEqual(['a']);
  });
});
