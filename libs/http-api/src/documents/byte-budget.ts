const SECOND_MS = 1_000;

/** How many bytes a process may send for something within a second; what is not used does not add up. */
export class ByteBudget {
  private startedAt = -Infinity;
  private left = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /**
   * Whether the bytes may be sent now. The last answer of a second may exceed what is left, so that one which is larger than the whole
   * budget can be sent too.
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
