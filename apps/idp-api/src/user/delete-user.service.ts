import { Injectable, Logger } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import { EnrollmentService } from '../enrollment/enrollment.service';
import { Reconciler } from '../enrollment/reconciler';
import type { Profile } from '../profile/profile';
import { UserNotFoundError } from '../profile/profile.errors';
import { ProfileRepository } from '../profile/profile.repository';
import { UserLocks } from '../user-lock/user-locks';
import { VerificationService } from './verification.service';

/** Deletes users in our database, and has the reconciler delete them at the vendor. */
@Injectable()
export class DeleteUserService {
  private readonly logger = new Logger('user');

  constructor(
    private readonly locks: UserLocks,
    private readonly outbox: Outbox,
    private readonly profiles: ProfileRepository,
    private readonly enrollments: EnrollmentService,
    private readonly verifications: VerificationService,
    private readonly reconciler: Reconciler,
  ) {}

  /**
   * Deletes a user at the user's own request. A verification lockout stays for up to 30 days, because otherwise a user could delete the
   * profile to get further attempts.
   *
   * @returns the profile that was deleted
   * @throws UserNotFoundError, UserBusyError
   */
  delete(krn: string): Promise<Profile> {
    return this.locks.run(krn, async () => {
      const profile = await this.profiles.find(krn);
      if (!profile) throw new UserNotFoundError();
      await this.erase(profile, false);
      return profile;
    });
  }

  /**
   * Deletes a user for support. This also ends the verification lockout, even if the user has no profile.
   *
   * @throws UserNotFoundError when the user has neither a profile nor counted refusals, UserBusyError
   */
  deleteBySupport(krn: string): Promise<void> {
    return this.locks.run(krn, async () => {
      const profile = await this.profiles.find(krn);
      if (profile) return this.erase(profile, true);
      const { attempts } = await this.verifications.getState(krn);
      if (attempts === 0) throw new UserNotFoundError();
      await this.outbox.transaction((manager) => this.verifications.reset(manager, krn));
    });
  }

  private async erase(profile: Profile, bySupport: boolean): Promise<void> {
    const { krn } = profile;
    await this.outbox.transaction(async (manager) => {
      // No run of the reconciler can change the enrollments while the profile's row is locked. Transactions lock the profile's row before
      // the user's row in the queue, so that they cannot deadlock.
      await this.profiles.lock(manager, krn);
      await this.enrollments.publishDeleted(manager, profile);
      await this.profiles.delete(manager, krn);
      if (bySupport) await this.verifications.reset(manager, krn);
      else await this.verifications.keepRefusals(manager, krn);
      await this.reconciler.request(manager, krn, { isDeleted: true });
    });
    // When a backup of the database is restored, these log lines name the users whose deletion must be repeated.
    this.logger.log({ msg: 'user.deleted', krn, by: bySupport ? 'support' : 'user' });
    this.reconciler.wake();
  }
}
