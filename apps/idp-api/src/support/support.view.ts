import type { SupportEnrollment, SupportUserDetails } from '@tandem/internal-api';
import type { Enrollment, EnrollmentStatus } from '../enrollment/enrollment.repository';
import type { ProfileOverview } from '../profile/profile.repository';
import { MAX_ATTEMPTS } from '../profile/verification.rules';

/** Returns what support sees of a profile. The view contains no personal data. */
export const detailsView = (overview: ProfileOverview): SupportUserDetails => ({
  user_id: overview.krn,
  array_user_id: overview.arrayUserId,
  version: overview.version,
  auth_attempts: overview.attempts,
  remaining_auth_attempts: MAX_ATTEMPTS - overview.attempts,
  last_auth_attempt: overview.lastAttemptAt?.toISOString() ?? null,
  created_at: overview.createdAt.toISOString(),
});

/** Returns every code in which the user should be enrolled, or once should have been, with its history. */
export const enrollmentsView = (
  enrollments: readonly Enrollment[],
  history: readonly EnrollmentStatus[],
): SupportEnrollment[] =>
  enrollments.map(({ code, active, createdAt, updatedAt }) => ({
    code,
    active,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    status_history: history
      .filter((change) => change.code === code)
      .map(({ status, at, reason }) => ({ status, at: at.toISOString(), reason })),
  }));
