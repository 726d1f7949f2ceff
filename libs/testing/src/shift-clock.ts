const NOT_FAKED = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/**
 * Makes the clock of this process differ from the database's: `Date` is shifted once, and then does not advance. Timers run as before.
 * `jest.useRealTimers()` ends the shift.
 *
 * @param ms positive: ahead; negative: behind
 */
export const shiftClock = (ms: number): void => void jest.useFakeTimers({ now: Date.now() + ms, doNotFake: NOT_FAKED });
