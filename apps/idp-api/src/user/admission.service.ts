import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { StoredDataService } from '../enrollment/stored-data.service';
import { EntitlementService } from '../entitlement/entitlement.service';
import type { Profile } from '../profile/profile';
import type { TimeBudget } from '../array/time-budget';
import { UnknownAtVendorError } from '../array/vendor.errors';
import { VerificationService } from './verification.service';

/** Checks whether a user may create a profile, enroll or get a token: by entitlements, locks and verification. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly verifications: VerificationService,
    private readonly storedData: StoredDataService,
  ) {}

  /**
   * Checks that a user has the base entitlement, and is not locked.
   *
   * @param receipts further receipts that count, although they are not stored yet
   * @throws EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError
   */
  async require(krn: string, receipts: readonly SubscriptionReceipt[] = []): Promise<void> {
    await this.entitlements.requireBase(krn, receipts);
    await this.verifications.requireUnlocked(krn);
  }

  /**
   * Runs the same checks as `require`, and then has the vendor verify the identity by the stored data. The caller holds the user's lock,
   * and calls `recordConfirmed` in its transaction.
   *
   * @returns the time at which the vendor confirmed the identity
   * @throws like `require`, VendorError, UserBusyError. After an UnknownAtVendorError, the user is queued to be created at the vendor again
   */
  async verify(profile: Profile, budget: TimeBudget, receipts: readonly SubscriptionReceipt[] = []): Promise<Date> {
    await this.require(profile.krn, receipts);
    // The vendor may still have the data of a change that was not saved, and must not refuse the user because of this data.
    await this.storedData.restore(profile, budget);
    try {
      return await this.verifications.verify(profile, budget);
    } catch (error) {
      if (error instanceof UnknownAtVendorError) await this.storedData.requestRestore(profile);
      throw error;
    }
  }

  /** Records that the vendor confirmed the identity. @param at the time that `verify` returned */
  recordConfirmed(manager: EntityManager, krn: string, at: Date): Promise<void> {
    return this.verifications.recordConfirmed(manager, krn, at);
  }
}
