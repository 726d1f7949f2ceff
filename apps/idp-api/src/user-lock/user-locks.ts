import { Injectable } from '@nestjs/common';
import { IdpApiConfig } from '../config';
import { TimeBudget } from '../array/time-budget';
import { UserBusyError } from './user-lock.errors';
import { UserLockSession } from './user-lock-session';

const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 100;

/**
 * Runs the operations that change the same user, in our database and at the vendor, one after the other. For example, concurrent
 * requests to create the profile of a user create one profile and one user at the vendor. If the vendor refuses the identity, these
 * requests count as one attempt.
 */
@Injectable()
export class UserLocks {
  /**
   * The KRNs of the locks that this process holds or is taking. They are tracked here, because Postgres would let the session take a lock
   * that the session already holds.
   */
  private readonly held = new Set<string>();

  constructor(
    private readonly session: UserLockSession,
    private readonly config: IdpApiConfig,
  ) {}

  /**
   * Runs `work` while holding the user's lock. The wait for the lock is deducted from the time that `work` has for the vendor.
   *
   * @throws UserBusyError when the wait would use up that time, or has used it up; `work` is then not run
   */
  async run<T>(krn: string, work: (budget: TimeBudget) => Promise<T>): Promise<T> {
    const budget = new TimeBudget(this.config.VENDOR_TIMEOUT_MS);
    for (let pauseMs = FIRST_WAIT_MS; !(await this.take(krn)); pauseMs = Math.min(MAX_WAIT_MS, pauseMs * 2)) {
      if (budget.deadlineMs <= pauseMs) throw new UserBusyError();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return this.runAndRelease(krn, async () => {
      // The time limit may have passed while the database answered. Without this check, work that needs no call to the vendor would still run.
      if (budget.deadlineMs <= 0) throw new UserBusyError();
      return work(budget);
    });
  }

  /**
   * Runs `work` only if the user's lock is free now.
   *
   * @param ms the time that `work` has for the vendor. A request that waits for the lock in the meantime loses up to this much of its own time
   * @returns whether `work` ran
   */
  async tryRun(krn: string, ms: number, work: (budget: TimeBudget) => Promise<void>): Promise<boolean> {
    if (!(await this.take(krn))) return false;
    await this.runAndRelease(krn, () => work(new TimeBudget(ms)));
    return true;
  }

  private async take(krn: string): Promise<boolean> {
    if (this.held.has(krn)) return false;
    this.held.add(krn);
    try {
      if (await this.session.tryLock(krn)) return true;
    } catch (error) {
      this.held.delete(krn);
      throw error;
    }
    this.held.delete(krn);
    return false;
  }

  private async runAndRelease<T>(krn: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.session.unlock(krn);
      this.held.delete(krn);
    }
  }
}
