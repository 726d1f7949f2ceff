import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { EntitlementService } from '../entitlement/entitlement.service';
import { UserNotFoundError } from '../profile/profile.errors';
import { ProfileRepository } from '../profile/profile.repository';
import { VerificationRepository } from '../profile/verification.repository';
import { UNVERIFIED, type VerificationState } from '../profile/verification.rules';
import { UserLocks } from '../user-lock/user-locks';

/** Ends the locks of users with or without a profile. */
@Injectable()
export class UnlockUserService {
  constructor(
    private readonly locks: UserLocks,
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly profiles: ProfileRepository,
    private readonly verifications: VerificationRepository,
    private readonly entitlements: EntitlementService,
  ) {}

  /**
   * Gives the user all attempts again. The method takes the user's lock, so a concurrent refusal is counted either before the unlock, which
   * then resets the count, or after it.
   *
   * @throws UserNotFoundError when the user has no profile, no subscription and no stored verification; UserBusyError
   */
  unlock(krn: string): Promise<void> {
    return this.locks.run(krn, async () => {
      if ((await this.profiles.find(krn)) === null) await this.requireKnown(krn);
      await this.manager.transaction((manager) => this.verifications.unlock(manager, krn));
    });
  }

  /**
   * Returns what is stored about the verifications of a user without a profile.
   *
   * @throws UserNotFoundError when the user has neither a subscription nor a stored verification
   */
  async requireKnown(krn: string): Promise<VerificationState> {
    const state = await this.findState(krn);
    if (!state) throw new UserNotFoundError();
    return state;
  }

  /** Returns the same as `requireKnown`, but null for a user with neither a subscription nor a stored verification. */
  async findState(krn: string): Promise<VerificationState | null> {
    const state = await this.verifications.get(krn);
    return state === UNVERIFIED && !(await this.entitlements.hasSubscription(krn)) ? null : state;
  }
}
