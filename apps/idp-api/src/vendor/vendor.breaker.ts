/** Failures in a row after which a route is left alone for a while. */
const FAILURES = 10;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/**
 * Leaves a route of the vendor alone that only fails: after ten failures in a row calls are refused for a second; then one call is
 * let through, and its outcome opens the route again or doubles the pause, up to five seconds.
 */
export class Breaker {
  private failures = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private closedUntil = 0;
  private probing = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether a call may be made now. Each call that may be made ends in `succeed` or `fail`. */
  admit(): boolean {
    if (this.failures < FAILURES) return true;
    if (this.probing || this.now() < this.closedUntil) return false;
    this.probing = true;
    return true;
  }

  /** The vendor answered, whatever it said. */
  succeed(): void {
    this.failures = 0;
    this.probing = false;
    this.pauseMs = FIRST_PAUSE_MS;
  }

  fail(): void {
    this.failures += 1;
    if (this.failures < FAILURES) return;
    // Calls that were under way when the route was closed say nothing new of it.
    if (this.probing) this.pauseMs = Math.min(MAX_PAUSE_MS, this.pauseMs * 2);
    if (this.probing || this.failures === FAILURES) this.closedUntil = this.now() + this.pauseMs;
    this.probing = false;
  }
}
