import { MAX_RETRY_AFTER_MS, nextAttemptInMs, parseRetryAfter } from './retry.rules';

const SCHEDULE = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];
const wait = (attempt: number, random: number, retryAfterMs: number | null = null): number | null =>
  nextAttemptInMs({ attempt, scheduleSeconds: SCHEDULE, retryAfterMs, random });

describe('the wait before the next attempt', () => {
  it.each(SCHEDULE.slice(1).map((seconds, index) => [index + 1, seconds]))(
    'after attempt %d is %d s, ±10 %% [delivery.schedule, delivery.jitter]',
    (attempt, seconds) => {
      expect(wait(attempt, 0)).toBe(seconds * 900);
      expect(wait(attempt, 0.5)).toBe(seconds * 1000);
      expect(wait(attempt, 0.999999)).toBeLessThanOrEqual(seconds * 1100);
    },
  );

  it('is null after 10 attempts [delivery.schedule]', () => expect(wait(10, 0.5)).toBeNull());
  it('is never shorter than Retry-After [delivery.retry-after]', () => expect(wait(1, 0, 60_000)).toBe(60_000));
  it('is not shortened by a shorter Retry-After', () => expect(wait(2, 0.5, 1000)).toBe(300_000));
  it('is null after the last attempt, even with Retry-After', () => expect(wait(10, 0.5, 1000)).toBeNull());
});

describe('Retry-After', () => {
  const now = new Date('2026-03-04T05:06:07Z');

  it.each([
    ['120', 120_000],
    [' 7 ', 7000],
    ['0', 0],
    ['Wed, 04 Mar 2026 05:07:07 GMT', 60_000],
    ['Wed Mar  4 05:07:07 2026', 60_000],
    ['Wed, 04 Mar 2026 06:07:07 +0100', 60_000],
    ['Wed, 04 Mar 2026 05:00:00 GMT', 0],
    ['999999999999', MAX_RETRY_AFTER_MS],
    ['Wed, 04 Mar 2099 05:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026', 2026_000],
    ['', null],
  ])('%j is parsed as %j (in ms; null if invalid) [delivery.retry-after]', (header, expected) =>
    expect(parseRetryAfter(header, now)).toBe(expected),
  );

  it('may be absent', () => expect(parseRetryAfter(null, now)).toBeNull());
});
