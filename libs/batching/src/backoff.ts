/**
 * Computes the waits between attempts: each is twice the previous one, from `firstMs` up to `maxMs`. Each wait is then
 * changed at random by up to ±20 %, so that replicas do not retry at the same moments.
 */
export class Backoff {
  private step = 0;

  constructor(
    private readonly firstMs: number,
    private readonly maxMs: number,
  ) {}

  next(): number {
    const base = Math.min(this.maxMs, this.firstMs * 2 ** this.step);
    this.step = Math.min(this.step + 1, 30);
    return base * (0.8 + Math.random() * 0.4);
  }

  reset(): void {
    this.step = 0;
  }
}

/** Resolves after `ms`, or as soon as the signal is aborted; never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
