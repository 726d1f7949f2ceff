/** Failures in a row that open the breaker. */
const FAILURES = 10;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/** A call that the breaker let through; it ends by one of these. */
export interface AdmittedCall {
  /** The vendor answered, whatever it said. */
  succeed(): void;
  fail(): void;
  /** Nothing is known: it had too little time for the vendor to answer. */
  abandon(): void;
}

/**
 * The circuit breaker of a route of the vendor. Ten failures in a row open it: calls are refused for a second. Then it is half-open: one
 * call, the probe, is let through; its success closes the breaker, its failure opens it for twice as long, up to five seconds. Calls
 * that were under way when it opened say nothing new, and change nothing.
 */
export class Breaker {
  private failures = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private openUntil = 0;
  private isProbing = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @returns null when no call may be made now */
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
