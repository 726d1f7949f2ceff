/** Bounds of how many requests one endpoint gets at a time. */
export interface ConcurrencyPolicy {
  readonly start: number;
  readonly max: number;
}

/**
 * How many requests an endpoint gets at a time: one more for each full round of successes, half after a failure (additive
 * increase, multiplicative decrease, as TCP does). A healthy endpoint is sent to as fast as it answers, a hung one holds
 * no more than its bound.
 */
export class ConcurrencyLimit {
  private limit: number;
  private successes = 0;

  constructor(private readonly policy: ConcurrencyPolicy) {
    this.limit = policy.start;
  }

  get current(): number {
    return this.limit;
  }

  succeeded(): void {
    if (this.limit >= this.policy.max || ++this.successes < this.limit) return;
    this.limit++;
    this.successes = 0;
  }

  failed(): void {
    this.limit = Math.max(1, Math.floor(this.limit / 2));
    this.successes = 0;
  }
}
