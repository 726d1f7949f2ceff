import { Backoff, sleep } from './backoff';
import { Slots } from './slots';
import { WakeSignal } from './wake-signal';

describe('timing', () => {
  it('a wake before the wait is not lost', async () => {
    const signal = new WakeSignal();
    signal.wake();
    await signal.wait(60_000);
    const waiting = signal.wait(60_000);
    signal.wake();
    await waiting;
  });

  it('a backoff doubles up to its bound, and begins anew after a reset', () => {
    const backoff = new Backoff(100, 1_000);
    const waits = Array.from({ length: 6 }, () => backoff.next());
    [100, 200, 400, 800, 1_000, 1_000].forEach((base, index) => {
      expect(waits[index]).toBeGreaterThanOrEqual(base * 0.8);
      expect(waits[index]).toBeLessThanOrEqual(base * 1.2);
    });
    backoff.reset();
    expect(backoff.next()).toBeLessThanOrEqual(120);
  });

  it('a sleep ends when its signal is aborted', async () => {
    const stop = new AbortController();
    const sleeping = sleep(60_000, stop.signal);
    stop.abort();
    await sleeping;
    await sleep(60_000, stop.signal);
  });

  it('slots run at most so many at once, in order, also after failures', async () => {
    const slots = new Slots(2);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = (index: number) =>
      slots.run(async () => {
        most = Math.max(most, ++running);
        order.push(index);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        if (index % 3 === 0) throw new Error('failed');
      });
    await Promise.allSettled(Array.from({ length: 10 }, (_, index) => work(index)));
    expect(most).toBe(2);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).toHaveLength(10);
  });
});
