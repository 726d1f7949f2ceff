/** The number of failures in a row that opens the breaker. */
const FAILURES = 10;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/** A call that the breaker let through. The caller reports the call's outcome with exactly one of these methods. */
export interface AdmittedCall {
  /** Reports that the route works: the vendor carried out the call, refused it because of its content, or answered 404. */
  succeed(): void;
  fail(): void;
  /** Reports that the call proves nothing about the vendor, because the vendor had too little time to answer. */
  abandon(): void;
}

/**
 * The circuit breaker of a vendor route. Ten failures in a row open the breaker, which then refuses calls for a second. After that it is
 * half-open: it lets one call through, the probe. If the probe succeeds, the breaker closes. If the probe fails, the breaker opens for
 * twice as long, up to five seconds. If the probe is abandoned, the next call becomes the probe. Until the breaker closes, it ignores the
 * outcomes of calls that began before it opened.
 */
export class Breaker {
  private failures = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private openUntil = 0;
  private isProbing = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Lets a call through. @returns null when calls are refused now */
  admit(): AdmittedCall | null {
    if (!this.isOpen) return { succeed: () => this.succeeded(), fail: () => this.failed(), abandon: () => undefined };
    if (this.isProbing || this.now() < this.openUntil) return null;
    this.isProbing = true;
    return { succeed: () => this.close(), fail: () => this.openLonger(), abandon: () => void (this.isProbing = false) };
  }

  private get isOpen(): boolean {
    return this.failures >= FAILURES;
  }

  private succeeded(): void {
    if (!this.isOpen) this.failures = 0;
  }

  private failed(): void {
    if (this.isOpen) return;
    this.failures += 1;
    if (this.isOpen) this.openUntil = this.now() + this.pauseMs;
  }

  private close(): void {
    this.failures = 0;
    this.isProbing = false;
    this.pauseMs = FIRST_PAUSE_MS;
  }

  private openLonger(): void {
    this.pauseMs = Math.min(MAX_PAUSE_MS, this.pauseMs * 2);
    this.openUntil = this.now() + this.pauseMs;
    this.isProbing = false;
  }
}
