import type { Grant } from './rate-limit.repository';
import type { Quota, Standing } from './rate-limit.rules';

/** Reserves permits from the shared count for the waiting requests. */
export type Reserve = (waiting: number) => Promise<Grant>;

interface Waiting {
  resolve: (standing: Standing) => void;
  reject: (error: unknown) => void;
}

/**
 * The permits that this process has reserved for one caller under one policy and not used yet, and the time when more will
 * be free. Requests that arrive while permits are being reserved wait together. They use the rest of the reserved permits,
 * or are counted by the next statement.
 *
 * A reserved permit can be used for one window, and counts as used in the shared count for at least that time. Because
 * unused permits expire, the shared limit can admit fewer requests than configured: at most one batch for each replica.
 * Times are monotonic milliseconds of this process; the database returns only durations.
 */
export class Allowance {
  private held = 0;
  private sharedRemaining: number;
  /** Until this time at least, the held permits count as used in the shared count. */
  private heldUntil = 0;
  /** At this time at the latest, a further permit is free in the shared count. `resetSeconds` is computed from it. */
  private resetAt = 0;
  /** No permit is free in the shared count before this time; 0 if one is free. */
  private askAgainAt = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly quota: Quota,
    private readonly reserve: Reserve,
    private readonly now: () => number,
  ) {
    this.sharedRemaining = quota.limit;
  }

  /** Uses one permit, if one is free. If a reservation is needed and fails, rejects with its error. */
  take(): Standing | Promise<Standing> {
    const standing = this.waiting.length === 0 ? this.decide() : undefined;
    if (standing) return standing;
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (this.waiting.length === 1) void this.draw();
    });
  }

  /** Whether this object can be dropped: no request waits, no valid permit is held, and the shared count may be asked again. */
  get idle(): boolean {
    return this.waiting.length === 0 && this.now() >= (this.held > 0 ? this.heldUntil : this.askAgainAt);
  }

  /** Answers from memory; undefined when permits must be drawn from the shared count. */
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

  /** Draws permits until no request waits. */
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

  /** Answers the requests that the statement counted, and as many later requests as its result can decide. */
  private answer(asked: number): void {
    for (let answered = 0; this.waiting.length > 0; answered++) {
      const standing = this.decide() ?? (answered < asked ? this.standing(false, this.now()) : undefined);
      if (!standing) return;
      this.waiting.shift()?.resolve(standing);
    }
  }
}
