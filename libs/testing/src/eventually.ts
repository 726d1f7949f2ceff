import { randomBytes } from 'node:crypto';

export interface EventuallyOptions {
  /** Default 30,000: the bound of a machine whose cores are busy; who waits goes on as soon as the probe passes. */
  timeoutMs?: number;
  /** Default 20. */
  everyMs?: number;
}

/** Runs `probe` until it does not throw, and returns what it gave. @throws the probe's last error, when time is up */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 20 }: EventuallyOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}

/** A name that no other test has: fresh ids instead of clean-up. */
export const uniqueId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
