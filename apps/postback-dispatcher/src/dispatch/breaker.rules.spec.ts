import { afterFailure, afterSuccess, BreakerState, CLOSED_BREAKER, FailureSeen, slowsEndpoint } from './breaker.rules';

const POLICY = { threshold: 5, pauseMs: 1000, maxPauseMs: 60_000 };
const failed = (state: BreakerState, change: Partial<FailureSeen>): BreakerState =>
  afterFailure(state, { startedAt: change.now ?? 0, now: 0, slows: false, retryAfterMs: null, ...change }, POLICY);

describe('the breaker of an endpoint', () => {
  it.each([429, 502, 503, 504])('pauses the endpoint immediately after a %d [delivery.slows-endpoint]', (status) =>
    expect(slowsEndpoint({ status, timedOut: false })).toBe(true),
  );
  it.each([400, 401, 404, 500, 301])(
    'does not pause the endpoint immediately after a %d [delivery.slows-endpoint]',
    (status) => expect(slowsEndpoint({ status, timedOut: false })).toBe(false),
  );
  it('pauses the endpoint immediately after a timeout', () =>
    expect(slowsEndpoint({ status: null, timedOut: true })).toBe(true));

  it('pauses the endpoint for a second after one 503', () => {
    expect(failed(CLOSED_BREAKER, { now: 100, slows: true })).toMatchObject({ blockedUntil: 1100, level: 1 });
  });

  it('pauses the endpoint after five failures of any kind in a row', () => {
    let state = CLOSED_BREAKER;
    for (let now = 1; now <= 4; now++) state = failed(state, { now });
    expect(state).toMatchObject({ blockedUntil: 0, level: 0 });
    expect(failed(state, { now: 5 })).toMatchObject({ blockedUntil: 1005, level: 1 });
  });

  it('makes each further pause in a row twice as long, up to a minute', () => {
    let state = CLOSED_BREAKER;
    const pauses = Array.from({ length: 9 }, () => {
      const now = state.blockedUntil + 1;
      state = failed(state, { now, slows: true });
      return state.blockedUntil - now;
    });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('counts pauses in a row only up to 30, so that the level fits in its column', () => {
    let state = CLOSED_BREAKER;
    for (let pause = 0; pause < 40_000; pause += 1) state = failed(state, { now: state.blockedUntil + 1, slows: true });
    expect(state.level).toBe(30);
  });

  it('does not extend a pause when a request from before the pause fails without Retry-After', () => {
    const paused = failed(CLOSED_BREAKER, { now: 100, slows: true });
    expect(failed(paused, { startedAt: 50, now: 120, slows: true })).toMatchObject({ blockedUntil: 1100, level: 1 });
  });

  it('pauses an overloaded endpoint for the time that Retry-After requests', () => {
    expect(failed(CLOSED_BREAKER, { now: 100, slows: true, retryAfterMs: 90_000 }).blockedUntil).toBe(90_100);
  });

  it('does not shorten a pause when a later answer has a shorter Retry-After', () => {
    const asked = failed(CLOSED_BREAKER, { now: 100, slows: true, retryAfterMs: 90_000 });
    expect(failed(asked, { startedAt: 50, now: 200, slows: true, retryAfterMs: 1000 }).blockedUntil).toBe(90_100);
  });

  it('is closed by the success of a request that was sent after the pause', () => {
    const paused = failed(CLOSED_BREAKER, { now: 100, slows: true });
    expect(afterSuccess(paused, 1200)).toEqual(CLOSED_BREAKER);
  });

  it('is not closed by the success of a request that was sent before the pause', () => {
    const paused = failed(CLOSED_BREAKER, { now: 100, slows: true });
    expect(afterSuccess(paused, 50)).toBe(paused);
  });
});
