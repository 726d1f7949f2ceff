import { Injectable } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import { ProfileService } from '../profile/profile.service';
import { UserLocks } from '../user-lock/user-locks';
import { type UserToken, VendorUsers } from '../array/vendor-users';
import { VerificationService } from './verification.service';
import { AdmissionService } from './admission.service';

/** Issues tokens for the vendor's embedded pages. */
@Injectable()
export class IssueTokenService {
  constructor(
    private readonly locks: UserLocks,
    private readonly outbox: Outbox,
    private readonly users: ProfileService,
    private readonly admission: AdmissionService,
    private readonly verifications: VerificationService,
    private readonly vendor: VendorUsers,
  ) {}

  /**
   * Returns a token, if the vendor confirms the identity.
   * @throws UserNotFoundError, EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError, UserBusyError
   */
  issue(krn: string): Promise<UserToken> {
    return this.locks.run(krn, async (budget) => {
      const profile = await this.users.get(krn);
      const confirmedAt = await this.admission.verify(profile, budget);
      // The confirmation is stored only if the vendor issues the token.
      const token = await this.vendor.issueToken(profile.arrayUserId, budget);
      await this.outbox.transaction(async (manager) => {
        await this.users.lock(manager, krn);
        await this.verifications.recordConfirmed(manager, krn, confirmedAt);
      });
      return token;
    });
  }
}
