import { Injectable } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import { EnrollmentService } from '../enrollment/enrollment.service';
import { ReconciliationRepository } from '../enrollment/reconciliation.repository';
import type { PersonalData, Profile } from '../profile/profile';
import { UserNotFoundError } from '../profile/profile.errors';
import { ProfileRepository } from '../profile/profile.repository';
import type { TimeBudget } from '../vendor/time-budget';
import { VerificationService } from '../verification/verification.service';
import { VendorSync } from './vendor-sync';

/** What can be changed of a user; left out is kept. */
export type PersonalDataChange = Partial<
  Pick<PersonalData, 'emailAddress' | 'phoneNumber' | 'ssn' | 'dob' | 'address'>
>;

/** Changes and deletes profiles. Called by whoever has the user's lock. */
@Injectable()
export class UserChangeService {
  constructor(
    private readonly outbox: Outbox,
    private readonly profiles: ProfileRepository,
    private readonly enrollments: EnrollmentService,
    private readonly queue: ReconciliationRepository,
    private readonly verifications: VerificationService,
    private readonly vendorSync: VendorSync,
  ) {}

  /**
   * Changes personal data here and at the vendor. What identifies a person is verified anew; a refused or failed change is undone
   * at the vendor by the reconciliation.
   *
   * @throws AttemptsTooEarlyError, MaximumAttemptsError, VendorError: nothing is changed then
   */
  async change(profile: Profile, change: PersonalDataChange, budget: TimeBudget): Promise<void> {
    const isVerified = change.ssn !== undefined || change.dob !== undefined || change.address !== undefined;
    if (isVerified) await this.verifications.requireUnlocked(profile.krn);
    const verify = isVerified ? () => this.verifications.verify(profile, budget) : null;
    await this.replace(profile, change, verify, budget);
  }

  /**
   * The same for support, whom no lock stops: once the vendor confirms the identity, the lock is gone.
   *
   * @throws IdentityNotConfirmedError, VendorError: nothing is changed then, and the lock stays as it was
   */
  changeBySupport(profile: Profile, change: PersonalDataChange, budget: TimeBudget): Promise<void> {
    return this.replace(profile, change, () => this.verifications.confirm(profile, budget), budget);
  }

  /** @param verify asks the vendor about the changed data; null when nothing of it identifies a person */
  private async replace(
    profile: Profile,
    change: PersonalDataChange,
    verify: (() => Promise<void>) | null,
    budget: TimeBudget,
  ): Promise<void> {
    const { krn } = profile;
    const data = { ...((await this.profiles.findPersonalData(krn)) as PersonalData), ...change };
    try {
      await this.vendorSync.replace(profile, data, budget);
      await verify?.();
      await this.outbox.transaction(async (manager) => {
        await this.profiles.updatePersonalData(manager, krn, data);
        // Were the lock lost meanwhile, another replica could have given the vendor the data of before: it is brought in line after this.
        await this.queue.request(manager, krn, { personalData: true });
        if (verify) await this.verifications.recordConfirmed(manager, krn);
      });
    } finally {
      this.vendorSync.wake();
    }
  }

  /**
   * Erases the user here, and has it removed at the vendor.
   *
   * @param bySupport forgets the refused verifications too; the user's own delete keeps their wait
   */
  async delete(profile: Profile, { bySupport = false } = {}): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      // The user's row first, as in every transaction that changes what belongs to it: no two of them wait for each other, and
      // the vendor's word of an enrollment comes before the end of all of them, or finds no user.
      await this.profiles.lockByArrayUserIds(manager, [profile.arrayUserId]);
      await this.enrollments.publishDeleted(manager, profile);
      await this.profiles.delete(manager, profile.krn);
      if (bySupport) await this.verifications.reset(manager, profile.krn);
      else await this.verifications.keepRefusals(manager, profile.krn);
      await this.queue.request(manager, profile.krn);
    });
    this.vendorSync.wake();
  }

  /**
   * Forgets the refused verifications of a user who has no profile.
   *
   * @throws UserNotFoundError when there are none
   */
  async forgetAttempts(krn: string): Promise<void> {
    const { attempts } = await this.verifications.getState(krn);
    if (attempts === 0) throw new UserNotFoundError();
    await this.outbox.transaction((manager) => this.verifications.reset(manager, krn));
  }
}
