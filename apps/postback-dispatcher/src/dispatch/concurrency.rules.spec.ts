import { ConcurrencyLimit } from './concurrency.rules';

describe('the requests that an endpoint gets at a time', () => {
  const succeed = (limit: ConcurrencyLimit, times: number, latencyMs = 80): void => {
    for (let index = 0; index < times; index++) limit.succeeded(latencyMs);
  };

  it('grow by one for a round of prompt successes', () => {
    const limit = new ConcurrencyLimit({ start: 10, max: 32 });
    succeed(limit, 9);
    expect(limit.current).toBe(10);
    succeed(limit, 1);
    expect(limit.current).toBe(11);
  });

  it('grow no further than the bound', () => {
    const limit = new ConcurrencyLimit({ start: 10, max: 12 });
    succeed(limit, 1000);
    expect(limit.current).toBe(12);
  });

  it('do not grow where answers come so soon that they are enough', () => {
    const limit = new ConcurrencyLimit({ start: 10, max: 32 });
    succeed(limit, 1000, 3);
    expect(limit.current).toBe(10);
    limit.failed();
    succeed(limit, 1000, 3);
    expect(limit.current).toBe(10);
    succeed(limit, 100_000, 30);
    expect(limit.current).toBe(15);
  });

  it('do not grow while answers become slower', () => {
    const limit = new ConcurrencyLimit({ start: 10, max: 32 });
    succeed(limit, 1, 40);
    succeed(limit, 50, 400);
    expect(limit.current).toBe(10);
  });

  it('are halved by a failure, down to one', () => {
    const limit = new ConcurrencyLimit({ start: 10, max: 32 });
    const seen = Array.from({ length: 5 }, () => {
      limit.failed();
      return limit.current;
    });
    expect(seen).toEqual([5, 2, 1, 1, 1]);
  });

  describe("with the endpoint's own maximum", () => {
    it('begin with no more than it', () => {
      const limit = new ConcurrencyLimit({ start: 10, max: 32 });
      limit.bound(3);
      expect(limit.current).toBe(3);
      succeed(limit, 1000);
      expect(limit.current).toBe(3);
    });

    it('grow beyond the usual bound when it is higher', () => {
      const limit = new ConcurrencyLimit({ start: 10, max: 12 });
      limit.bound(14);
      expect(limit.current).toBe(10);
      succeed(limit, 1000);
      expect(limit.current).toBe(14);
    });

    it('come down to it at once, and back to what they were without it', () => {
      const limit = new ConcurrencyLimit({ start: 10, max: 12 });
      succeed(limit, 1000);
      limit.bound(1);
      expect(limit.current).toBe(1);
      limit.bound(null);
      expect(limit.current).toBe(12);
    });

    it('are halved by a failure from where they stand', () => {
      const limit = new ConcurrencyLimit({ start: 10, max: 32 });
      limit.bound(4);
      limit.failed();
      expect(limit.current).toBe(2);
      limit.bound(null);
      expect(limit.current).toBe(2);
    });
  });
});
