import { Injectable } from '@nestjs/common';
import type { IdentityProfile, IdentityUser, IdentityVerification } from '@tandem/internal-api';
import { AlertRepository } from '../alert/alert.repository';
import { EnrollmentRecordService } from '../enrollment/enrollment-record.service';
import { codesGranted } from '../entitlement/entitlement.rules';
import { EntitlementService } from '../entitlement/entitlement.service';
import { MockService } from '../mock/mock.service';
import { arrayUserIdOf } from '../profile/array-user-id';
import { type ProfileOverview, ProfileRepository } from '../profile/profile.repository';
import { lockedUntil, lockOf, MAX_ATTEMPTS, type VerificationState } from '../profile/verification.rules';
import { VerificationRepository } from '../profile/verification.repository';

/** Reads what is stored about users, with or without a profile, except their personal data. */
@Injectable()
export class UserRecordService {
  constructor(
    private readonly profiles: ProfileRepository,
    private readonly verifications: VerificationRepository,
    private readonly entitlements: EntitlementService,
    private readonly enrollments: EnrollmentRecordService,
    private readonly alerts: AlertRepository,
    private readonly mocks: MockService,
  ) {}

  async get(krn: string): Promise<IdentityUser> {
    const profile = await this.profiles.findOverview(krn);
    const [state, enrollments, pushed, mock] = await Promise.all([
      this.verifications.get(krn),
      this.enrollments.get(krn, profile !== null),
      this.alerts.countPushed(krn),
      this.mocks.effectiveFlags(krn),
    ]);
    return {
      krn,
      arrayUserId: arrayUserIdOf(krn),
      profile: profile && (await this.profileView(profile)),
      verification: verificationView(state),
      ...enrollments,
      pushedAlerts: pushed.all,
      pushedAlertsOfUnknownBureau: pushed.ofUnknownBureau,
      mock,
    };
  }

  private async profileView(profile: ProfileOverview): Promise<IdentityProfile> {
    const { krn, version, configured } = profile;
    const { held } = await this.entitlements.entitled(krn, new Date());
    return { version, configured, grantedCodes: [...codesGranted(version, held)] };
  }
}

function verificationView(state: VerificationState): IdentityVerification {
  const { attempts, authenticated, lastAttemptAt } = state;
  const lock = lockOf(state)?.kind ?? null;
  return {
    authenticated,
    attempts,
    remainingAttempts: MAX_ATTEMPTS - attempts,
    lastAttemptAt: lastAttemptAt?.toISOString() ?? null,
    lock,
    lockedUntil: lockedUntil(state)?.toISOString() ?? null,
  };
}
