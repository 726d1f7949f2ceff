const SECOND_MS = 1_000;

/**
 * Limits how many bytes a process may send per second for one purpose. Bytes that are unused in one second are not
 * carried over.
 */
export class ByteBudget {
  private startedAt = -Infinity;
  private left = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /**
   * Takes bytes from the budget of the current second, and returns whether they may be sent. The last answer of a
   * second may exceed the budget, so that even an answer larger than the whole budget can be sent.
   *
   * @param nowMs the time of a monotonic clock
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
