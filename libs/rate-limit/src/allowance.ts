import type { Grant } from './rate-limit.repository';
import type { Quota, Standing } from './rate-limit.rules';

/** Reserves permits from the shared count for the waiting requests. */
export type Reserve = (waiting: number) => Promise<Grant>;

interface Waiting {
  resolve: (standing: Standing) => void;
  reject: (error: unknown) => void;
}

/**
 * The permits that this process has reserved for one caller under one policy and has not used yet, and the time when further
 * permits will be free. Requests that arrive during a reservation wait for its result: they use the permits that are left
 * over, or are counted together by the next reservation.
 *
 * A reserved permit can be used for one window, and the shared count counts it as used for at least that long. Permits that
 * are not used in this time expire, so the shared limit can admit fewer requests than configured, by at most one batch for
 * each replica. Times are milliseconds of this process's monotonic clock; the database returns only durations.
 */
export class Allowance {
  private held = 0;
  private sharedRemaining: number;
  /** The held permits are valid until this time: the shared count counts them as used at least until then. */
  private heldUntil = 0;
  /**
   * The latest time at which a further permit becomes free in the shared count. `resetSeconds` is computed from this
   * time.
   */
  private resetAt = 0;
  /** The earliest time at which a permit can be free in the shared count; 0 if one is free now. */
  private askAgainAt = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly quota: Quota,
    private readonly reserve: Reserve,
    private readonly now: () => number,
  ) {
    this.sharedRemaining = quota.limit;
  }

  /** Uses one permit, if one is free. If a reservation is needed and fails, rejects with the error of the reservation. */
  take(): Standing | Promise<Standing> {
    const standing = this.waiting.length === 0 ? this.decide() : undefined;
    if (standing) return standing;
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (this.waiting.length === 1) void this.draw();
    });
  }

  /**
   * Whether this object can be dropped: no request waits, no valid permit is held, and a new reservation may be made.
   */
  get idle(): boolean {
    return this.waiting.length === 0 && this.now() >= (this.held > 0 ? this.heldUntil : this.askAgainAt);
  }

  /**
   * Decides about one request by the values in memory. Returns undefined when permits must first be reserved in the
   * shared count.
   */
  private decide(): Standing | undefined {
    const now = this.now();
    if (this.held > 0 && now < this.heldUntil) {
      this.held--;
      return this.standing(true, now);
    }
    this.held = 0;
    return now < this.askAgainAt ? this.standing(false, now) : undefined;
  }

  private standing(allowed: boolean, now: number): Standing {
    return {
      allowed,
      remaining: allowed ? this.held + this.sharedRemaining : 0,
      resetSeconds: Math.max(1, Math.ceil((this.resetAt - now) / 1000)),
    };
  }

  /** Reserves permits until no request waits. */
  private async draw(): Promise<void> {
    while (this.waiting.length > 0) {
      const asking = this.waiting.length;
      const askedAt = this.now();
      try {
        this.note(await this.reserve(asking), askedAt);
      } catch (error) {
        for (const { reject } of this.waiting.splice(0)) reject(error);
        return;
      }
      this.answer(asking);
    }
  }

  private note({ granted, remaining, resetMs }: Grant, askedAt: number): void {
    this.held = granted;
    this.sharedRemaining = remaining;
    this.heldUntil = askedAt + this.quota.windowSeconds * 1000;
    this.resetAt = this.now() + resetMs;
    this.askAgainAt = remaining === 0 ? askedAt + resetMs : 0;
  }

  /** Answers the `asked` requests for which a reservation was made, and then later requests until a new reservation is needed. */
  private answer(asked: number): void {
    for (let answered = 0; this.waiting.length > 0; answered++) {
      const standing = this.decide() ?? (answered < asked ? this.standing(false, this.now()) : undefined);
      if (!standing) return;
      this.waiting.shift()?.resolve(standing);
    }
  }
}
