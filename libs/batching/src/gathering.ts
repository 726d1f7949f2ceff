/** How long work waits for more of its kind at most, ms. */
const MAX_MS = 5;
/** How much the newest gap counts in the average. */
const WEIGHT = 0.2;
/** A longer gap says no more than this one: that nothing comes. */
const LONGEST_GAP_MS = 1_000;

/**
 * Decides how long a hop waits for more work before it takes what there is: not at all when it was idle, 5 ms while so much arrives
 * that more will come meanwhile. Each take wakes two processes, which costs as much for one event as for ten.
 */
export class Gathering {
  private averageGapMs = LONGEST_GAP_MS;
  private tookAt = -Infinity;

  /** Some items were taken together. */
  took(count: number, now = performance.now()): void {
    if (count === 0) return;
    const gapMs = Math.min(LONGEST_GAP_MS, (now - this.tookAt) / count);
    this.averageGapMs += (gapMs - this.averageGapMs) * WEIGHT;
    this.tookAt = now;
  }

  /** How long to wait before the next take, ms. */
  waitMs(now = performance.now()): number {
    const isBusy = now - this.tookAt < 4 * MAX_MS;
    return isBusy && this.averageGapMs < 1.5 * MAX_MS ? MAX_MS : 0;
  }
}
