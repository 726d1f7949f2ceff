const SECOND_MS = 1_000;

/** Limits how many bytes a process may send for one purpose per second; an unused rest is not carried over. */
export class ByteBudget {
  private startedAt = -Infinity;
  private left = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /**
   * Whether the bytes may be sent now. The last answer of a second may exceed the rest of the budget, so that an answer larger than
   * the whole budget can be sent.
   *
   * @param nowMs of a monotonic clock
   */
  take(bytes: number, nowMs: number): boolean {
    if (nowMs - this.startedAt >= SECOND_MS) {
      this.startedAt = nowMs;
      this.left = this.bytesPerSecond;
    }
    if (this.left <= 0) return false;
    this.left -= bytes;
    return true;
  }
}
