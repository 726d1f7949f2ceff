import { setTimeout as delay } from 'node:timers/promises';
import { patience } from './patience';

describe('patience', () => {
  it('aborts the signal with a TimeoutError after the time limit', async () => {
    const { signal } = patience(300);
    expect(signal.aborted).toBe(false);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect((signal.reason as Error).name).toBe('TimeoutError');
  });

  it('does not count time in which this process is blocked', async () => {
    const { signal, end } = patience(300);
    const until = Date.now() + 500;
    while (Date.now() < until);
    await delay(1);
    expect(signal.aborted).toBe(false);
    end();
  });
});
