/** Bounds of how many requests one endpoint gets at a time. */
export interface ConcurrencyPolicy {
  readonly start: number;
  readonly max: number;
}

/** An answer counts as prompt up to this many times the usual best, and a little more for what is too short to compare. */
const PROMPT_FACTOR = 2;
const PROMPT_MARGIN_MS = 5;
/** How fast the best latency is forgotten, by each success: an endpoint may have become slower for good. */
const FORGET = 0.001;
/** What is worth having from one endpoint, requests a millisecond: more in flight than its latency asks for only costs connections. */
const WORTH_PER_MS = 0.5;

/**
 * How many requests an endpoint gets at a time: one more for each full round of prompt successes, half after a failure
 * (additive increase, multiplicative decrease, as TCP does). Answers that become slower say that more at a time would only
 * wait longer, there or here, so the bound then stays; so does the bound of an endpoint whose answers come so soon that it
 * is fast enough as it is. A healthy endpoint is sent to about as fast as it can take it; a hung one holds no more than its
 * bound. A maximum of the endpoint's own takes the place of the policy's, and holds at once; what was learned stays.
 */
export class ConcurrencyLimit {
  private limit: number;
  private successes = 0;
  private bestMs = Infinity;
  private max: number;

  constructor(private readonly policy: ConcurrencyPolicy) {
    this.limit = policy.start;
    this.max = policy.max;
  }

  get current(): number {
    return Math.min(this.limit, this.max);
  }

  /** @param max the endpoint's own maximum; null: the policy's */
  bound(max: number | null): void {
    this.max = max ?? this.policy.max;
  }

  succeeded(latencyMs: number): void {
    this.bestMs = latencyMs < this.bestMs ? latencyMs : this.bestMs + (latencyMs - this.bestMs) * FORGET;
    if (latencyMs > PROMPT_FACTOR * this.bestMs + PROMPT_MARGIN_MS) return;
    const enough = Math.max(this.policy.start, this.bestMs * WORTH_PER_MS);
    if (this.limit >= Math.min(this.max, enough) || ++this.successes < this.limit) return;
    this.limit++;
    this.successes = 0;
  }

  failed(): void {
    this.limit = Math.max(1, Math.floor(this.current / 2));
    this.successes = 0;
  }
}
