/** How a client reads the clock and waits. */
export interface Pace {
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after this time. @throws the signal's reason as soon as it aborts */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Returns the reason of an aborted signal, or an AbortError: React Native's signals have no reason. */
export const reasonOf = (signal: AbortSignal): unknown =>
  signal.reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });

/** Does the same as `signal.throwIfAborted()`, which React Native's signals do not have. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal);
}

/** The longest timer, ms. Runtimes treat a longer timer as a timer of 1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const REAL_PACE: Pace = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(reasonOf(signal));
      const abort = (): void => {
        clearTimeout(timer);
        reject(reasonOf(signal as AbortSignal));
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(milliseconds, LONGEST_TIMER_MS),
      );
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
