/** What a request, or a run of a worker, has for all its calls of the vendor. */
export class TimeBudget {
  /** Whether a write was repeated because its connection broke: the vendor may act on both. */
  hasBrokenWrite = false;
  private readonly endsAt: number;

  constructor(ms: number) {
    this.endsAt = performance.now() + ms;
  }

  /** What is left, as an option of a call; at most `ms`. */
  atMost(ms: number): TimeBudget {
    return new TimeBudget(Math.min(ms, this.deadlineMs));
  }

  get deadlineMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  /** A write is repeated. */
  readonly onRepeat = (): void => {
    this.hasBrokenWrite = true;
  };
}
