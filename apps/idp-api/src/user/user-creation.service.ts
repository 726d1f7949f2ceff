import { Injectable } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { ProfileVersion } from '../enrollment/enrollment-code.rules';
import { EnrollmentService } from '../enrollment/enrollment.service';
import { EntitlementService } from '../enrollment/entitlement.service';
import { arrayUserIdOf } from '../profile/array-user-id';
import type { PersonalData, Profile } from '../profile/profile';
import { UserAlreadyExistsError } from '../profile/profile.errors';
import { ProfileRepository } from '../profile/profile.repository';
import type { TimeBudget } from '../vendor/time-budget';
import { VerificationService } from '../verification/verification.service';
import { VendorSync } from './vendor-sync';

/** Makes profiles. */
@Injectable()
export class UserCreationService {
  constructor(
    private readonly outbox: Outbox,
    private readonly profiles: ProfileRepository,
    private readonly entitlements: EntitlementService,
    private readonly enrollments: EnrollmentService,
    private readonly verifications: VerificationService,
    private readonly vendorSync: VendorSync,
  ) {}

  /**
   * Makes the user's profile when the vendor confirms the identity. Until then the vendor's user is one to be removed: whatever
   * ends this before the profile is committed, a refusal, a failure or a crash, leaves no user at the vendor.
   *
   * Called by whoever has the user's lock.
   *
   * @throws UserAlreadyExistsError, EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError
   */
  async create(krn: string, version: ProfileVersion, data: PersonalData, budget: TimeBudget): Promise<Profile> {
    if (await this.profiles.find(krn)) throw new UserAlreadyExistsError();
    await this.entitlements.requireBase(krn);
    await this.verifications.requireUnlocked(krn);
    const profile = { krn, arrayUserId: arrayUserIdOf(krn), version };
    try {
      await this.vendorSync.introduce(profile, data, budget);
      await this.verifications.verify(profile, budget);
    } catch (error) {
      this.vendorSync.wake();
      throw error;
    }
    const plan = await this.enrollments.plan(profile, 'enrolled');
    await this.outbox.transaction(async (manager: EntityManager) => {
      await this.profiles.insert(manager, profile, data);
      await this.verifications.recordConfirmed(manager, krn);
      await this.enrollments.want(manager, krn, plan);
    });
    return profile;
  }
}
