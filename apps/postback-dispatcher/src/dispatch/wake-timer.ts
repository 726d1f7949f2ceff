/**
 * The timer is set for the earliest due time, and remembers at most this many later ones. A sweep finds the deliveries that are due at any
 * others.
 */
const LATER_TIMES_MAX = 100;

/** Calls `wake` when a delivery becomes due, or when the endpoint's pause ends. */
export class WakeTimer {
  private timer: NodeJS.Timeout | undefined;
  private timerAt = Infinity;
  /** The due times that are remembered. None is earlier than `timerAt`, the time for which the timer is set. */
  private laterTimes: number[] = [];
  private stopped = false;

  /** @param horizonMs times later than this, in ms from now, are left to a sweep */
  constructor(
    private readonly horizonMs: number,
    private readonly wake: () => void,
  ) {}

  get isSet(): boolean {
    return this.timerAt < Infinity;
  }

  /**
   * Calls `wake` in `ms` milliseconds. Leaves this to a sweep if `ms` exceeds `horizonMs`. If LATER_TIMES_MAX times are already remembered,
   * keeps only the earlier one of the new time and the timer's time; the later one is left to a sweep.
   */
  wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.stopped || ms > this.horizonMs) return;
    if (at >= this.timerAt) {
      if (this.laterTimes.length < LATER_TIMES_MAX) this.laterTimes.push(at);
      return;
    }
    if (this.isSet && this.laterTimes.length < LATER_TIMES_MAX) this.laterTimes.push(this.timerAt);
    clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = setTimeout(() => this.onTimer(), Math.max(0, Math.ceil(ms) + 1));
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private onTimer(): void {
    this.timerAt = Infinity;
    this.wake();
    const now = performance.now();
    const later = this.laterTimes.filter((at) => at > now);
    this.laterTimes = [];
    for (const at of later) this.wakeIn(at - now);
  }
}
