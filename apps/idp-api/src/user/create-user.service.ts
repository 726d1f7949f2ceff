import { Injectable } from '@nestjs/common';
import type { ProfileVersion } from '../profile/profile';
import { Reconciler } from '../enrollment/reconciler';
import { arrayUserIdOf } from '../profile/array-user-id';
import type { PersonalData } from '../profile/profile';
import { UserAlreadyExistsError } from '../profile/profile.errors';
import { ProfileRepository } from '../profile/profile.repository';
import { UserLocks } from '../user-lock/user-locks';
import { type UserToken, VendorUsers } from '../array/vendor-users';
import { VendorError } from '../array/vendor.errors';
import { VerificationService } from './verification.service';
import { AdmissionService } from './admission.service';

/** Creates profiles. */
@Injectable()
export class CreateUserService {
  constructor(
    private readonly locks: UserLocks,
    private readonly profiles: ProfileRepository,
    private readonly admission: AdmissionService,
    private readonly verifications: VerificationService,
    private readonly reconciler: Reconciler,
    private readonly vendor: VendorUsers,
  ) {}

  /**
   * Creates the user's profile if the vendor confirms the identity, and enrolls the user. Until the profile is committed, the user is
   * queued to be deleted at the vendor, so that no user remains at the vendor after a refusal, a failure or a crash.
   *
   * @returns a token; null when the vendor did not issue one. The profile exists in both cases, and the client can request a token later
   * @throws UserAlreadyExistsError, EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError, UserBusyError
   */
  create(krn: string, version: ProfileVersion, data: PersonalData): Promise<UserToken | null> {
    return this.locks.run(krn, async (budget) => {
      if (await this.profiles.find(krn)) throw new UserAlreadyExistsError();
      await this.admission.require(krn);
      const profile = { krn, arrayUserId: arrayUserIdOf(krn), version };
      await this.reconciler.writeData(profile, data, budget, {
        isNew: true,
        verify: () => this.verifications.verify(profile, budget, true),
        commit: async (manager, confirmedAt) => {
          await this.profiles.insert(manager, profile, data);
          await this.verifications.recordConfirmed(manager, krn, confirmedAt as Date);
        },
      });
      const token = this.vendor.issueToken(profile.arrayUserId, budget).catch(nullOfVendorError);
      const [issued] = await Promise.all([token, this.reconciler.carryOut(krn, budget)]);
      return issued;
    });
  }
}

function nullOfVendorError(error: unknown): null {
  if (error instanceof VendorError) return null;
  throw error;
}
