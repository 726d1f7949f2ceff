import { Injectable } from '@nestjs/common';
import type {
  ChangedSupportUser,
  DeletedSupportUser,
  SubscriptionReceipt,
  SupportEnrollments,
  SupportUser,
  UnlockedSupportUser,
} from '@tandem/internal-api';
import { EnrollmentService } from '../enrollment/enrollment.service';
import { ProfileRepository } from '../profile/profile.repository';
import { ChangeUserService, type PersonalDataChange } from '../user/change-user.service';
import { DeleteUserService } from '../user/delete-user.service';
import { EnrollUserService } from '../user/enroll-user.service';
import { UnlockUserService } from '../user/unlock-user.service';
import { profileStatus, statusWithoutProfile } from '../user/user.view';
import { detailsView, enrollmentsView } from './support.view';

/**
 * The operations of support on one user. `change` and `enroll` throw UserNotFoundError when the user has no profile. The other operations
 * accept some users without a profile, as documented at each of them.
 */
@Injectable()
export class SupportService {
  constructor(
    private readonly profiles: ProfileRepository,
    private readonly changes: ChangeUserService,
    private readonly deletions: DeleteUserService,
    private readonly enrolling: EnrollUserService,
    private readonly unlocking: UnlockUserService,
    private readonly enrollments: EnrollmentService,
  ) {}

  /** Returns what support sees of a user. @throws UserNotFoundError when nothing is known about the user */
  async get(krn: string): Promise<SupportUser> {
    const overview = await this.profiles.findOverview(krn);
    if (!overview) {
      const state = await this.unlocking.requireKnown(krn);
      return { array_user_details: null, enrollments: [], user_status_response: statusWithoutProfile(krn, state) };
    }
    return {
      array_user_details: detailsView(overview),
      ...(await this.listEnrollments(krn)),
      user_status_response: profileStatus(overview),
    };
  }

  /**
   * See {@link ChangeUserService.changeBySupport}.
   * @throws IdentityNotConfirmedError, VendorError, UserBusyError; in all these cases the stored data and the lock do not change
   */
  async change(krn: string, change: PersonalDataChange): Promise<ChangedSupportUser> {
    return { array_user_details: detailsView(await this.changes.changeBySupport(krn, change)) };
  }

  /** See {@link DeleteUserService.deleteBySupport}. */
  async delete(krn: string): Promise<DeletedSupportUser> {
    await this.deletions.deleteBySupport(krn);
    return { deleted: true };
  }

  /**
   * See {@link EnrollUserService.enrollWithReceipts}.
   *
   * @throws EntitlementsRequiredError, AttemptsTooEarlyError, MaximumAttemptsError, VendorError, UserBusyError; in all these cases no
   *   receipt is stored
   */
  async enroll(krn: string, receipts: readonly SubscriptionReceipt[]): Promise<SupportEnrollments> {
    await this.enrolling.enrollWithReceipts(krn, receipts);
    return this.listEnrollments(krn);
  }

  /** See {@link UnlockUserService.unlock}. */
  async unlock(krn: string): Promise<UnlockedSupportUser> {
    await this.unlocking.unlock(krn);
    return { unlocked: true };
  }

  private async listEnrollments(krn: string): Promise<SupportEnrollments> {
    const [all, history] = await Promise.all([this.enrollments.list(krn), this.enrollments.listHistory(krn)]);
    return { enrollments: enrollmentsView(all, history) };
  }
}
