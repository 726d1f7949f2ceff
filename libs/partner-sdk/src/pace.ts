/** How a client measures and spends time. */
export interface Pace {
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a random number from 0 up to 1. */
  random(): number;
  /** @throws the signal's reason as soon as it aborts */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Runtimes treat a longer timer as one of 1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const REAL_PACE: Pace = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
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
