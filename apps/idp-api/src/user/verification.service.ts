import { Injectable, Logger } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { IdpApiConfig } from '../config';
import type { TimeBudget } from '../array/time-budget';
import { VendorUsers } from '../array/vendor-users';
import { AttemptsTooEarlyError, IdentityNotConfirmedError, MaximumAttemptsError } from '../profile/verification.errors';
import { VerificationRepository } from '../profile/verification.repository';
import { confirmed, type Lock, lockOf, refused, type VerificationState } from '../profile/verification.rules';

/** Asks the vendor who a user is, counts refusals, and locks users out who have too many. The caller holds the user's lock. */
@Injectable()
export class VerificationService {
  private readonly logger = new Logger('verification');

  constructor(
    private readonly config: IdpApiConfig,
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly verifications: VerificationRepository,
    private readonly vendor: VendorUsers,
  ) {}

  /** What is kept of a user's verifications, with a profile or without. */
  getState(krn: string): Promise<VerificationState> {
    return this.verifications.get(krn);
  }

  /** @throws AttemptsTooEarlyError during a wait, MaximumAttemptsError when no attempt is left; nothing is counted */
  async requireUnlocked(krn: string): Promise<void> {
    const lock = lockOf(await this.verifications.get(krn), new Date());
    if (lock) throw errorOf(lock);
  }

  /**
   * Lets the vendor verify a user whom it knows. A refusal is counted; a success is kept by `recordConfirmed`, in the transaction
   * that it was asked for.
   *
   * @throws AttemptsTooEarlyError or MaximumAttemptsError, by the lock that a refusal causes; VendorError when the vendor gave no answer
   */
  async verify({ krn, arrayUserId }: { krn: string; arrayUserId: string }, budget: TimeBudget): Promise<void> {
    if (await this.vendor.authenticate(arrayUserId, budget)) return;
    const now = new Date();
    const waits = [this.config.LOCK_FIRST_WAIT_SECONDS, this.config.LOCK_SECOND_WAIT_SECONDS] as const;
    const state = refused(await this.verifications.get(krn), now, waits);
    await this.manager.transaction((manager) => this.verifications.save(manager, krn, state));
    this.logger.log({ msg: 'verification.refused', attempts: state.attempts });
    throw errorOf(lockOf(state, now) as Lock);
  }

  /**
   * The same for support: whatever the lock is, and without counting a refusal.
   *
   * @throws IdentityNotConfirmedError, VendorError
   */
  async confirm({ arrayUserId }: { arrayUserId: string }, budget: TimeBudget): Promise<void> {
    if (!(await this.vendor.authenticate(arrayUserId, budget))) throw new IdentityNotConfirmedError();
  }

  /** Keeps that the vendor confirmed the identity. */
  async recordConfirmed(manager: EntityManager, krn: string): Promise<void> {
    await this.verifications.save(manager, krn, confirmed(new Date()));
  }

  /** The user deleted the profile: what was counted is kept until the last wait is over, so that it is no way to guess on. */
  async keepRefusals(manager: EntityManager, krn: string): Promise<void> {
    await this.verifications.keepRefusals(manager, krn);
  }

  /** Forgets everything. */
  async reset(manager: EntityManager, krn: string): Promise<void> {
    await this.verifications.delete(manager, krn);
  }
}

const errorOf = (lock: Lock): Error =>
  lock.kind === 'maximum' ? new MaximumAttemptsError() : new AttemptsTooEarlyError(lock.retryAfterSeconds);
