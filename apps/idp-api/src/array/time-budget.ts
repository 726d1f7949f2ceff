/** The time that an operation has for all its calls to the vendor. */
export class TimeBudget {
  /** Whether a write was repeated because its connection broke. The vendor may then carry out both attempts. */
  hasBrokenWrite = false;
  private readonly endsAt: number;

  constructor(ms: number) {
    this.endsAt = performance.now() + ms;
  }

  /** Returns a budget of the remaining time, but at most `ms`. */
  atMost(ms: number): TimeBudget {
    return new TimeBudget(Math.min(ms, this.deadlineMs));
  }

  get deadlineMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  /** Records that a write was repeated. */
  readonly onRepeat = (): void => {
    this.hasBrokenWrite = true;
  };
}
