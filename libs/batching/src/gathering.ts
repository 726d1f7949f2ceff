/** Maximum wait for more work, ms. */
const MAX_MS = 5;
/** Weight of the newest gap between two items in the moving average. */
const WEIGHT = 0.2;
/** A longer gap counts as this long: the exact length of an idle time says nothing about the load. */
const LONGEST_GAP_MS = 1_000;

/**
 * Decides how long a stage of the event pipeline waits for more work before it takes the ready items. It waits 5 ms
 * while items arrive at intervals below 7.5 ms on average, and otherwise not at all. The wait pays off because a take
 * costs about as much for one event as for ten.
 */
export class Gathering {
  private averageGapMs = LONGEST_GAP_MS;
  private tookAt = -Infinity;

  /** Records that `count` items were taken together. */
  took(count: number, now = performance.now()): void {
    if (count === 0) return;
    const gapMs = Math.min(LONGEST_GAP_MS, (now - this.tookAt) / count);
    this.averageGapMs += (gapMs - this.averageGapMs) * WEIGHT;
    this.tookAt = now;
  }

  /** Returns how long to wait before the next take, ms. */
  waitMs(now = performance.now()): number {
    const isBusy = now - this.tookAt < 4 * MAX_MS;
    return isBusy && this.averageGapMs < 1.5 * MAX_MS ? MAX_MS : 0;
  }
}
