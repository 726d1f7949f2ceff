import { randomBytes } from 'node:crypto';

export interface EventuallyOptions {
  /** For how long a failing probe is repeated, ms. Default 30,000, which suffices on a machine with busy cores. */
  timeoutMs?: number;
  /** The pause before the probe is repeated, ms. Default 20. */
  everyMs?: number;
}

/** Runs `probe` until it does not throw, and returns its result. @throws the probe's last error after `timeoutMs` */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 20 }: EventuallyOptions = {},
): Promise<T> {
  // Uses the monotonic clock, because a change of the system's clock must not end the wait.
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}

/** Returns a name that no other test uses: fresh ids make clean-up unnecessary. */
export const uniqueId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
