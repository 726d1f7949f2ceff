/** The length of each wait for more work, ms. */
const MAX_MS = 5;
/** Weight of the newest gap in the moving average. A gap is the time since the previous call of `took`, divided by the number of taken items. */
const WEIGHT = 0.2;
/** A longer gap counts as this long in the average: how long nothing arrived says little about the load when items arrive again. */
const LONGEST_GAP_MS = 1_000;

/**
 * Decides how long a stage of the event pipeline waits for more work before it takes the ready items. It waits 5 ms if the
 * moving average of the gaps between items is below 7.5 ms and the last items were taken less than 20 ms ago. Otherwise it
 * does not wait. The wait pays off because taking several items together costs less than taking each item alone.
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

  /** Returns how long to wait before the next items are taken, ms. */
  waitMs(now = performance.now()): number {
    const isBusy = now - this.tookAt < 4 * MAX_MS;
    return isBusy && this.averageGapMs < 1.5 * MAX_MS ? MAX_MS : 0;
  }
}
