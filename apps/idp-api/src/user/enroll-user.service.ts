import { Injectable } from '@nestjs/common';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import { InputValidationError } from '../bad-request/input-validation.errors';
import type { ProfileVersion } from '../profile/profile';
import type { Enrollment } from '../enrollment/enrollment.repository';
import { EntitlementService } from '../entitlement/entitlement.service';
import { Reconciler } from '../enrollment/reconciler';
import { ProfileService } from '../profile/profile.service';
import { UserLocks } from '../user-lock/user-locks';
import { AdmissionService } from './admission.service';

/**
 * Enrolls users in all codes that are granted to them. Each method returns the state of the user's codes; some codes may become active
 * later.
 *
 * The transactions lock rows in the same order as those of `IdentityEventService`, so that the two services cannot deadlock: first the
 * profile's row, then the user's row in the queue, then the row of the verification.
 */
@Injectable()
export class EnrollUserService {
  constructor(
    private readonly locks: UserLocks,
    private readonly outbox: Outbox,
    private readonly users: ProfileService,
    private readonly admission: AdmissionService,
    private readonly reconciler: Reconciler,
    private readonly entitlements: EntitlementService,
  ) {}

  /**
   * Enrolls a user at the user's own request, if the vendor confirms the identity.
   * @throws UserNotFoundError, EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError, UserBusyError
   */
  enroll(krn: string): Promise<Enrollment[]> {
    return this.locks.run(krn, async (budget) => {
      const confirmedAt = await this.admission.verify(await this.users.get(krn), budget);
      await this.outbox.transaction(async (manager) => {
        await this.users.lock(manager, krn);
        await this.reconciler.request(manager, krn, { asked: 'enrolled' });
        await this.admission.recordConfirmed(manager, krn, confirmedAt);
      });
      return this.reconciler.carryOut(krn, budget);
    });
  }

  /**
   * Enrolls a user for support, which may submit receipts. The receipts are stored if the vendor confirms the identity.
   *
   * @throws like `enroll`; in all these cases no receipt is stored
   */
  enrollWithReceipts(krn: string, receipts: readonly SubscriptionReceipt[]): Promise<Enrollment[]> {
    return this.locks.run(krn, async (budget) => {
      const confirmedAt = await this.admission.verify(await this.users.get(krn), budget, receipts);
      await this.outbox.transaction(async (manager) => {
        await this.users.lock(manager, krn);
        await this.entitlements.addReceipts(manager, krn, receipts);
        await this.reconciler.request(manager, krn, { asked: 'support' });
        await this.admission.recordConfirmed(manager, krn, confirmedAt);
      });
      return this.reconciler.carryOut(krn, budget);
    });
  }

  /**
   * Sets the version of a user's profile, and enrolls the user in what the version and the entitlements grant. The identity is not
   * verified.
   *
   * @throws InputValidationError for a lower version, UserNotFoundError, EntitlementsRequiredError, UserBusyError
   */
  migrate(krn: string, version: ProfileVersion): Promise<Enrollment[]> {
    return this.locks.run(krn, async (budget) => {
      const profile = await this.users.get(krn);
      if (version < profile.version) throw new InputValidationError(['version']);
      await this.entitlements.requireBase(krn);
      await this.outbox.transaction(async (manager) => {
        await this.users.lock(manager, krn);
        await this.users.setVersion(manager, krn, version);
        await this.reconciler.request(manager, krn, { asked: 'migrated' });
      });
      return this.reconciler.carryOut(krn, budget);
    });
  }
}
