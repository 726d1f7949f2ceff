import { Backoff, sleep } from './backoff';
import { WakeSignal } from './wake-signal';

describe('timing', () => {
  it('a wake-up ends the current wait or, if there is none, the next one', async () => {
    const signal = new WakeSignal();
    signal.wake();
    await signal.wait(60_000);
    const waiting = signal.wait(60_000);
    signal.wake();
    await waiting;
  });

  it('a backoff doubles its waits up to the maximum, and starts again with the first wait after a reset', () => {
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
});
