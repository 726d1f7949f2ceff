import { Injectable, Logger } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { IdpApiConfig } from '../config';
import type { TimeBudget } from '../array/time-budget';
import { VendorUsers } from '../array/vendor-users';
import { ProfileService } from '../profile/profile.service';
import { AttemptsTooEarlyError, IdentityNotConfirmedError, MaximumAttemptsError } from '../profile/verification.errors';
import { VerificationRepository } from '../profile/verification.repository';
import { confirmed, type Lock, lockOf, refused, type VerificationState } from '../profile/verification.rules';

/**
 * Has the vendor verify the identity of users, counts refusals, and locks users after refusals. The caller holds the user's lock in
 * `UserLocks`.
 */
@Injectable()
export class VerificationService {
  private readonly logger = new Logger('verification');

  constructor(
    private readonly config: IdpApiConfig,
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly users: ProfileService,
    private readonly verifications: VerificationRepository,
    private readonly vendor: VendorUsers,
  ) {}

  /** Returns what is stored about a user's verifications, with or without a profile. */
  getState(krn: string): Promise<VerificationState> {
    return this.verifications.get(krn);
  }

  /**
   * Checks that the user is not locked.
   * @throws AttemptsTooEarlyError during a wait, MaximumAttemptsError when no attempt is left; these errors do not count as refusals
   */
  async requireUnlocked(krn: string): Promise<void> {
    const lock = lockOf(await this.verifications.get(krn));
    if (lock) throw errorOf(lock);
  }

  /**
   * Has the vendor verify the identity of a user, by the data that the vendor has. A refusal is counted. The caller saves a success with
   * `recordConfirmed`, in the transaction that needs the verification.
   *
   * @param isNew whether the user has no profile yet
   * @returns the time at which the vendor confirmed the identity
   * @throws AttemptsTooEarlyError or MaximumAttemptsError when the vendor refuses the identity, depending on the lock that this refusal
   *  causes
   * @throws UserBusyError when the vendor refuses the identity, but the profile has been deleted; the refusal is then not counted
   * @throws VendorError when the vendor fails
   */
  async verify(
    { krn, arrayUserId }: { krn: string; arrayUserId: string },
    budget: TimeBudget,
    isNew = false,
  ): Promise<Date> {
    const isConfirmed = await this.vendor.authenticate(arrayUserId, budget);
    const now = new Date();
    if (isConfirmed) return now;
    const waits = [this.config.LOCK_FIRST_WAIT_SECONDS, this.config.LOCK_SECOND_WAIT_SECONDS] as const;
    const state = refused(await this.verifications.get(krn), now, waits);
    await this.manager.transaction(async (manager) => {
      if (!isNew) await this.users.lock(manager, krn);
      await this.verifications.save(manager, krn, state);
    });
    this.logger.log({ msg: 'verification.refused', attempts: state.attempts });
    throw errorOf(lockOf(state) as Lock);
  }

  /**
   * Has the vendor verify the identity of a user for support, even of a locked user. A refusal is not counted.
   *
   * @returns the time at which the vendor confirmed the identity
   * @throws IdentityNotConfirmedError, VendorError
   */
  async confirm({ arrayUserId }: { arrayUserId: string }, budget: TimeBudget): Promise<Date> {
    if (!(await this.vendor.authenticate(arrayUserId, budget))) throw new IdentityNotConfirmedError();
    return new Date();
  }

  /** Records that the vendor confirmed the identity. @param at the time of the confirmation, by the clock of this process */
  async recordConfirmed(manager: EntityManager, krn: string, at: Date): Promise<void> {
    await this.verifications.save(manager, krn, confirmed(at));
  }

  /**
   * Keeps the counted attempts of a locked user who deletes the profile, so that the delete does not end the lock. If no attempt is left, the
   * count is kept for 30 days. Otherwise, it is kept until the wait is over, but at most 30 days.
   */
  async keepRefusals(manager: EntityManager, krn: string): Promise<void> {
    await this.verifications.keepRefusals(manager, krn);
  }

  /** Deletes everything that is stored about the user's verifications. */
  async reset(manager: EntityManager, krn: string): Promise<void> {
    await this.verifications.delete(manager, krn);
  }
}

const errorOf = (lock: Lock): Error =>
  lock.kind === 'maximum' ? new MaximumAttemptsError() : new AttemptsTooEarlyError(lock.retryAfterSeconds);
