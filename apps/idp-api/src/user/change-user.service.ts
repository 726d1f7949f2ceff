import { Injectable } from '@nestjs/common';
import { Reconciler } from '../enrollment/reconciler';
import type { PersonalData, Profile } from '../profile/profile';
import type { ProfileOverview } from '../profile/profile.repository';
import { ProfileRepository } from '../profile/profile.repository';
import { ProfileService } from '../profile/profile.service';
import { UserLocks } from '../user-lock/user-locks';
import type { TimeBudget } from '../array/time-budget';
import { VerificationService } from './verification.service';

/** The personal data to change. Omitted fields stay unchanged. */
export type PersonalDataChange = Partial<
  Pick<PersonalData, 'emailAddress' | 'phoneNumber' | 'ssn' | 'dob' | 'address'>
>;

/** Changes personal data, in our database and at the vendor. */
@Injectable()
export class ChangeUserService {
  constructor(
    private readonly locks: UserLocks,
    private readonly users: ProfileService,
    private readonly profiles: ProfileRepository,
    private readonly verifications: VerificationService,
    private readonly reconciler: Reconciler,
  ) {}

  /**
   * Changes the user's data. If the change contains `ssn`, `dob` or `address`, the vendor verifies the identity again.
   *
   * @throws UserNotFoundError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError, UserBusyError; in all these cases the stored
   *   personal data does not change
   */
  change(krn: string, change: PersonalDataChange): Promise<ProfileOverview> {
    return this.run(krn, async (profile, budget) => {
      const isVerified = change.ssn !== undefined || change.dob !== undefined || change.address !== undefined;
      if (isVerified) await this.verifications.requireUnlocked(krn);
      const verify = isVerified ? () => this.verifications.verify(profile, budget) : undefined;
      await this.replace(profile, change, budget, verify);
    });
  }

  /**
   * Changes the user's data for support, if the vendor confirms the identity. A verification lockout does not prevent the change; the
   * change ends the lockout.
   *
   * @throws UserNotFoundError, IdentityNotConfirmedError, VendorError, UserBusyError; in all these cases the stored personal data and the
   *   lock do not change
   */
  changeBySupport(krn: string, change: PersonalDataChange): Promise<ProfileOverview> {
    return this.run(krn, (profile, budget) =>
      this.replace(profile, change, budget, () => this.verifications.confirm(profile, budget)),
    );
  }

  private run(krn: string, work: (profile: Profile, budget: TimeBudget) => Promise<void>): Promise<ProfileOverview> {
    return this.locks.run(krn, async (budget) => {
      await work(await this.users.get(krn), budget);
      return this.users.getOverview(krn);
    });
  }

  /**
   * Writes the changed data to the vendor, and then to our database.
   * @param verify has the vendor verify the changed data; omitted when the change needs no verification
   */
  private async replace(
    profile: Profile,
    change: PersonalDataChange,
    budget: TimeBudget,
    verify?: () => Promise<Date>,
  ): Promise<void> {
    const { krn } = profile;
    const data = { ...((await this.profiles.findPersonalData(krn)) as PersonalData), ...change };
    await this.reconciler.writeData(profile, data, budget, {
      verify,
      commit: async (manager, confirmedAt) => {
        await this.profiles.updatePersonalData(manager, krn, data);
        if (confirmedAt) await this.verifications.recordConfirmed(manager, krn, confirmedAt);
      },
    });
  }
}
