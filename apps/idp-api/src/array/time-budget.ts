/** The time that a request, or a run of a worker, has for all its calls to the vendor. */
export class TimeBudget {
  /** Whether a write was repeated because its connection broke. The vendor may then act on both attempts. */
  hasBrokenWrite = false;
  private readonly endsAt: number;

  constructor(ms: number) {
    this.endsAt = performance.now() + ms;
  }

  /** Returns a budget of the time that is left, but of at most `ms`. */
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
