import { Injectable } from '@nestjs/common';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import { InputValidationError } from '../bad-request/input-validation.error';
import type { ProfileVersion } from '../enrollment/enrollment-code.rules';
import type { Enrollment } from '../enrollment/enrollment.repository';
import { EnrollmentService } from '../enrollment/enrollment.service';
import { EntitlementService } from '../enrollment/entitlement.service';
import type { Profile } from '../profile/profile';
import { ProfileRepository } from '../profile/profile.repository';
import type { TimeBudget } from '../vendor/time-budget';
import { VerificationService } from '../verification/verification.service';
import { VendorSync } from './vendor-sync';

/** Enrolls users. Called by whoever has the user's lock. */
@Injectable()
export class UserEnrollmentService {
  constructor(
    private readonly outbox: Outbox,
    private readonly profiles: ProfileRepository,
    private readonly entitlements: EntitlementService,
    private readonly enrollments: EnrollmentService,
    private readonly verifications: VerificationService,
    private readonly vendorSync: VendorSync,
  ) {}

  /**
   * Verifies the user, as everything does that gives access to what the vendor knows of it.
   *
   * @throws EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError
   */
  async verify(profile: Profile, budget: TimeBudget, receipts: readonly SubscriptionReceipt[] = []): Promise<void> {
    await this.entitlements.requireBase(profile.krn, receipts);
    await this.verifications.requireUnlocked(profile.krn);
    await this.verifications.verify(profile, budget);
    await this.outbox.transaction((manager) => this.verifications.recordConfirmed(manager, profile.krn));
  }

  /** Wants everything that is granted now. @returns what is active by now; the rest follows */
  async enroll(profile: Profile, budget: TimeBudget): Promise<Enrollment[]> {
    await this.verify(profile, budget);
    const plan = await this.enrollments.plan(profile, 'enrolled');
    await this.outbox.transaction((manager) => this.enrollments.want(manager, profile.krn, plan));
    return this.carryOut(profile, budget);
  }

  /**
   * The same for support, which may bring receipts: they are kept when the vendor confirmed the identity.
   *
   * @throws as `verify`; nothing is kept then
   */
  async enrollWithReceipts(
    profile: Profile,
    receipts: readonly SubscriptionReceipt[],
    budget: TimeBudget,
  ): Promise<Enrollment[]> {
    await this.verify(profile, budget, receipts);
    const plan = await this.enrollments.plan(profile, 'support', { receipts });
    await this.outbox.transaction(async (manager) => {
      await this.entitlements.addReceipts(manager, profile.krn, receipts);
      await this.enrollments.want(manager, profile.krn, plan);
    });
    return this.carryOut(profile, budget);
  }

  /**
   * Gives a user another version. Nothing is verified by it.
   *
   * @returns as `enroll`
   * @throws InputValidationError for a way back, EntitlementsRequiredError
   */
  async migrate(profile: Profile, version: ProfileVersion, budget: TimeBudget): Promise<Enrollment[]> {
    if (version < profile.version) throw new InputValidationError(['version']);
    await this.entitlements.requireBase(profile.krn);
    const plan = await this.enrollments.plan({ ...profile, version }, 'migrated');
    await this.outbox.transaction(async (manager) => {
      await this.profiles.updateVersion(manager, profile.krn, version);
      await this.enrollments.want(manager, profile.krn, plan);
    });
    return this.carryOut(profile, budget);
  }

  private async carryOut({ krn }: Profile, budget: TimeBudget): Promise<Enrollment[]> {
    await this.vendorSync.tryNow(krn, budget);
    return this.enrollments.list(krn);
  }
}
