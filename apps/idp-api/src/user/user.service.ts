import { Injectable } from '@nestjs/common';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import type { ProfileVersion } from '../enrollment/enrollment-code.rules';
import type { Enrollment } from '../enrollment/enrollment.repository';
import type { PersonalData, Profile } from '../profile/profile';
import { type ProfileOverview } from '../profile/profile.repository';
import { ProfileService } from '../profile/profile.service';
import { UserLocks } from '../user-lock/user-locks';
import type { TimeBudget } from '../vendor/time-budget';
import { type UserToken, VendorUsers } from '../vendor/vendor-users';
import { VendorError } from '../vendor/vendor.errors';
import { type PersonalDataChange, UserChangeService } from './user-change.service';
import { UserCreationService } from './user-creation.service';
import { UserEnrollmentService } from './user-enrollment.service';
import { VendorSync } from './vendor-sync';

/** What the vendor does for a user who is verified. */
@Injectable()
export class UserVendor {
  constructor(
    private readonly vendor: VendorUsers,
    private readonly sync: VendorSync,
  ) {}

  issueToken({ arrayUserId }: Profile, budget: TimeBudget): Promise<UserToken> {
    return this.vendor.issueToken(arrayUserId, budget);
  }

  /** A first token, and the first enrollments as far as they come at once. */
  async welcome(profile: Profile, budget: TimeBudget): Promise<UserToken | null> {
    const token = this.issueToken(profile, budget).catch((error: unknown) => {
      if (error instanceof VendorError) return null;
      throw error;
    });
    const [issued] = await Promise.all([token, this.sync.tryNow(profile.krn, budget)]);
    return issued;
  }
}

/** What users do with their profiles: one thing at a time for each user. */
@Injectable()
export class UserService {
  constructor(
    private readonly locks: UserLocks,
    private readonly profiles: ProfileService,
    private readonly creations: UserCreationService,
    private readonly changes: UserChangeService,
    private readonly enrollments: UserEnrollmentService,
    private readonly vendor: UserVendor,
  ) {}

  /** @returns null when the vendor gives no token now: the profile is there, and one can be asked for later */
  create(krn: string, version: ProfileVersion, data: PersonalData): Promise<UserToken | null> {
    return this.locks.run(krn, async (budget) => {
      const profile = await this.creations.create(krn, version, data, budget);
      return this.vendor.welcome(profile, budget);
    });
  }

  change(krn: string, change: PersonalDataChange): Promise<ProfileOverview> {
    return this.locks.run(krn, async (budget) => {
      await this.changes.change(await this.profiles.get(krn), change, budget);
      return this.profiles.getOverview(krn);
    });
  }

  /** See {@link UserChangeService.changeBySupport}. */
  changeBySupport(krn: string, change: PersonalDataChange): Promise<ProfileOverview> {
    return this.locks.run(krn, async (budget) => {
      await this.changes.changeBySupport(await this.profiles.get(krn), change, budget);
      return this.profiles.getOverview(krn);
    });
  }

  /** @returns the profile that was */
  delete(krn: string): Promise<Profile> {
    return this.locks.run(krn, async () => {
      const profile = await this.profiles.get(krn);
      await this.changes.delete(profile);
      return profile;
    });
  }

  /**
   * For support: also ends the lock of somebody whose creates were refused, and who has no profile to change or to delete.
   *
   * @throws UserNotFoundError without a profile and without a refused verification
   */
  deleteBySupport(krn: string): Promise<void> {
    return this.locks.run(krn, async () => {
      const profile = await this.profiles.find(krn);
      if (profile) await this.changes.delete(profile, { bySupport: true });
      else await this.changes.forgetAttempts(krn);
    });
  }

  enroll(krn: string): Promise<Enrollment[]> {
    return this.locks.run(krn, async (budget) => this.enrollments.enroll(await this.profiles.get(krn), budget));
  }

  /** See {@link UserEnrollmentService.enrollWithReceipts}. */
  enrollWithReceipts(krn: string, receipts: readonly SubscriptionReceipt[]): Promise<Enrollment[]> {
    return this.locks.run(krn, async (budget) =>
      this.enrollments.enrollWithReceipts(await this.profiles.get(krn), receipts, budget),
    );
  }

  migrate(krn: string, version: ProfileVersion): Promise<Enrollment[]> {
    return this.locks.run(krn, async (budget) =>
      this.enrollments.migrate(await this.profiles.get(krn), version, budget),
    );
  }

  issueToken(krn: string): Promise<UserToken> {
    return this.locks.run(krn, async (budget) => {
      const profile = await this.profiles.get(krn);
      await this.enrollments.verify(profile, budget);
      return this.vendor.issueToken(profile, budget);
    });
  }
}
