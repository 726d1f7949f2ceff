import { Allowance } from './allowance';
import type { Grant } from './rate-limit.repository';
import { quotaOf } from './rate-limit.rules';

/** A shared count whose answers the test supplies. */
class SharedCount {
  readonly asked: number[] = [];
  private answers: { resolve: (grant: Grant) => void; reject: (error: unknown) => void }[] = [];

  readonly reserve = (waiting: number): Promise<Grant> => {
    this.asked.push(waiting);
    return new Promise((resolve, reject) => this.answers.push({ resolve, reject }));
  };

  async grant(granted: number, remaining: number, resetMs = 60_000): Promise<void> {
    this.answers.shift()?.resolve({ granted, remaining, resetMs });
    await settled();
  }

  async fail(error: Error): Promise<void> {
    this.answers.shift()?.reject(error);
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Allowance', () => {
  let clock: number;
  let shared: SharedCount;
  let allowance: Allowance;

  beforeEach(() => {
    clock = 1_000;
    shared = new SharedCount();
    allowance = new Allowance(quotaOf('checkout', { limit: 600, windowSeconds: 60 }), shared.reserve, () => clock);
  });

  it('reserves a batch once, and counts the following requests in memory until the batch is used up', async () => {
    const first = allowance.take();
    await shared.grant(6, 594);
    const others = Array.from({ length: 5 }, () => allowance.take());
    expect([await first, ...others]).toEqual(
      [599, 598, 597, 596, 595, 594].map((remaining) => ({ allowed: true, remaining, resetSeconds: 60 })),
    );
    expect(shared.asked).toEqual([1]);
    void allowance.take();
    expect(shared.asked).toEqual([1, 1]);
  });

  it('makes one reservation for all requests that arrive while another reservation is pending', async () => {
    const first = allowance.take();
    const others = Array.from({ length: 40 }, () => allowance.take());
    await shared.grant(6, 594);
    expect(await first).toMatchObject({ allowed: true });
    expect(shared.asked).toEqual([1, 35]);
    await shared.grant(35, 559);
    expect((await Promise.all(others)).every(({ allowed }) => allowed)).toBe(true);
    expect(shared.asked).toEqual([1, 35]);
  });

  it('refuses requests when no permit is left, and makes no reservation until a permit can be free', async () => {
    const taken = [allowance.take(), allowance.take(), allowance.take()];
    await shared.grant(1, 2);
    await shared.grant(1, 0, 30_000);
    const refused = { allowed: false, remaining: 0, resetSeconds: 30 };
    expect(await Promise.all(taken.slice(1))).toEqual([{ ...refused, allowed: true }, refused]);
    clock += 28_500;
    expect(allowance.take()).toEqual({ ...refused, resetSeconds: 2 });
    expect(shared.asked).toEqual([1, 2]);
    clock += 1_500;
    void allowance.take();
    expect(shared.asked).toEqual([1, 2, 1]);
  });

  it('reserves again after the reset time, counted from the request for the last reservation, not from its answer', async () => {
    const first = allowance.take();
    clock += 100; // the round trip to the database
    await shared.grant(0, 0, 10_000);
    expect(await first).toEqual({ allowed: false, remaining: 0, resetSeconds: 10 });
    clock += 9_899;
    expect(allowance.take()).toMatchObject({ allowed: false, resetSeconds: 1 });
    clock += 1;
    expect(allowance.take()).toBeInstanceOf(Promise);
  });

  it('drops a reserved permit that the shared count no longer counts', async () => {
    void allowance.take();
    await shared.grant(6, 594);
    clock += 59_999;
    expect(allowance.take()).toMatchObject({ allowed: true, resetSeconds: 1 });
    expect(allowance.idle).toBe(false);
    clock += 1;
    expect(allowance.idle).toBe(true);
    void allowance.take();
    expect(shared.asked).toEqual([1, 1]);
  });

  it('rejects waiting requests when the shared count is unavailable, and reserves again for the next request', async () => {
    const taken = [allowance.take(), allowance.take()];
    const outcomes = Promise.allSettled(taken);
    const failure = new Error('gone');
    await shared.fail(failure);
    expect(await outcomes).toEqual(taken.map(() => ({ status: 'rejected', reason: failure })));
    const next = allowance.take();
    await shared.grant(1, 0);
    expect(await next).toMatchObject({ allowed: true });
  });
});
