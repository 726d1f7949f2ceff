/** A period in which an operation had no success: it begins with the first attempt after a success, and ends with the next success. */
export interface Gap {
  readonly operation: string;
  /** When the first attempt since the last success began, ms. */
  readonly from: number;
  readonly to: number;
}

/**
 * Matches the answers after which a caller sends the request again: 429, 502, 503, 504, and a 409 while an earlier
 * request with the same idempotency key is still being handled. A failure that matches neither this pattern nor
 * `NO_ANSWER` is a fault of the platform.
 */
const OUTAGE = /: (429|502|503|504) |: 409 .*:idempotency_in_progress"/;
/** Matches the errors of the HTTP client when there is no answer. */
const NO_ANSWER = /UND_ERR|ECONN|EPIPE|socket|timeout|other side closed|fetch failed/i;
/** The shortest gap that is recorded. */
const SHORTEST_GAP_MS = 2_000;

/** Records the gaps in which an operation of the load had no success, and the failures that no outage explains. */
export class ServiceLog {
  readonly gaps: Gap[] = [];
  /** Failures that no outage explains, each with its time. */
  readonly unexplained: string[] = [];
  requests = 0;
  failures = 0;
  /** For each operation: when its first attempt since its last success began. */
  private readonly firstAttempts = new Map<string, number>();

  /** Runs an operation once, and records its outcome. Never throws. */
  async observe(operation: string, run: () => Promise<void>): Promise<void> {
    this.requests++;
    const from = this.firstAttempts.get(operation) ?? Date.now();
    this.firstAttempts.set(operation, from);
    try {
      await run();
    } catch (error) {
      this.failures++;
      const text = describe(error as Error);
      if (!OUTAGE.test(text) && !NO_ANSWER.test(text)) {
        this.unexplained.push(`${new Date().toISOString()} ${operation}: ${text}`);
      }
      return;
    }
    const to = Date.now();
    if (to - from >= SHORTEST_GAP_MS) this.gaps.push({ operation, from, to });
    this.firstAttempts.delete(operation);
  }
}

const describe = (error: Error & { code?: string }): string =>
  `${error.message}${error.code ? ` (${error.code})` : ''}`;
