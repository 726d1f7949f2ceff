import { AsyncLocalStorage } from 'node:async_hooks';
import { Batcher, BatcherFullError } from './batcher';

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns a batcher that records its runs, and doubles every item. */
function doubling(limits: { concurrency: number; maxSize: number; sizeOf?: (item: number) => number }) {
  const runs: number[][] = [];
  let most = 0;
  let running = 0;
  const batcher = new Batcher<number, number>(limits, async (items) => {
    most = Math.max(most, ++running);
    runs.push([...items]);
    await later();
    running--;
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => 2 * item);
  });
  return { batcher, runs, most: () => most };
}

describe('Batcher', () => {
  it('runs the items of one turn of the event loop together, and items added during that run in the next run', async () => {
    const { batcher, runs } = doubling({ concurrency: 1, maxSize: 10 });
    const first = [1, 2].map((item) => batcher.add(item));
    await later();
    const second = [3, 4, 5].map((item) => batcher.add(item));
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(runs).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('starts runs of at most `maxSize` items, in the order in which they were added', async () => {
    const { batcher, runs } = doubling({ concurrency: 1, maxSize: 2 });
    await Promise.all([1, 2, 3, 4, 5, 6].map((item) => batcher.add(item)));
    expect(runs).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  it('runs an item above the maximum size alone', async () => {
    const { batcher, runs } = doubling({ concurrency: 1, maxSize: 10, sizeOf: (item) => item });
    await Promise.all([1, 20, 3, 4].map((item) => batcher.add(item)));
    expect(runs).toEqual([[1], [20], [3, 4]]);
  });

  it('has at most `concurrency` runs in progress', async () => {
    const { batcher, most } = doubling({ concurrency: 2, maxSize: 1 });
    await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));
    expect(most()).toBe(2);
  });

  it('rejects items beyond `maxWaiting`, and still runs the waiting items', async () => {
    const batcher = new Batcher<number, number>({ concurrency: 1, maxSize: 1, maxWaiting: 2 }, async (items) => {
      await later();
      return items;
    });
    const running = batcher.add(1);
    await later();
    const results = await Promise.allSettled([running, ...[2, 3, 4].map((item) => batcher.add(item))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(results[3]).toMatchObject({ reason: expect.any(BatcherFullError) });
  });

  it('rejects the items of a failed run, and continues with the other items', async () => {
    const { batcher } = doubling({ concurrency: 1, maxSize: 2 });
    const results = await Promise.allSettled([1, 2, 13, 4, 5].map((item) => batcher.add(item)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
  });

  it('calls `run` outside of the request contexts in which the items were added', async () => {
    const request = new AsyncLocalStorage<string>();
    const batcher = new Batcher<string, string | undefined>({ concurrency: 1, maxSize: 1 }, async (items) => {
      await later();
      return items.map(() => request.getStore());
    });
    const seen = ['a', 'b', 'c'].map((name) => request.run(name, () => batcher.add(name)));
    expect(await Promise.all(seen)).toEqual([undefined, undefined, undefined]);
  });
});
