import type { IdentityUser, UserAnswer, UserStory } from '@tandem/internal-api';
import { deadLetterAnswer, FROM_VENDOR, listed, logsOf, READ_VENDOR_METRICS } from './user-answer';

/** The codes whose enrollments produce alerts. */
const ALERTING = ['IDENTITY_MONITORING', 'CREDIT_MONITORING', 'NEIGHBORHOOD_WATCH', 'TITLE_MONITORING'];

/** Explains why the user sees alerts or does not. @param enrolled the answer to the question about enrollment */
export function alertsAnswer(
  { user, vendor, deadLetters }: Pick<UserStory, 'user' | 'vendor' | 'deadLetters'>,
  { next }: UserAnswer,
): UserAnswer {
  if (user.profile === null) return { verdict: 'no_profile', reason: 'there is no profile (see enrolled)', next };
  if (vendor.failures.length > 0) {
    const reason = `the vendor cannot be read now: ${listed(vendor.failures)}; "it keeps failing" means that a breaker is open. The user’s requests get 502 or 504 until the vendor answers again`;
    return { verdict: 'vendor_unavailable', reason, next: [READ_VENDOR_METRICS, logsOf(user)] };
  }
  if (!vendor.isKnown) {
    const reason = 'the vendor does not know the user (see enrolled): lists of alerts are answered with 502';
    return { verdict: 'unknown_at_vendor', reason, next: [logsOf(user)] };
  }
  if (vendor.hasAlerts || shownPushes(user) > 0) {
    const reason = `there are alerts: the client requests other alerts (by bureau, class or offset), or shows only unread alerts${pushedPart(user)}`;
    return { verdict: 'has_alerts', reason, next: [logsOf(user)] };
  }
  if (user.mock.alerts)
    return { verdict: 'samples', reason: 'the user has turned samples on, and sees only sample alerts', next: [] };
  if (!ALERTING.some((code) => vendor.enrolledCodes?.includes(code))) {
    const reason = 'the user is enrolled in nothing that finds alerts (see enrolled)';
    return { verdict: 'not_enrolled', reason, next };
  }
  const letter = deadLetterAnswer(
    user,
    deadLetters.filter(({ topic }) => topic === FROM_VENDOR),
  );
  if (letter) return letter;
  return {
    verdict: 'no_alerts',
    reason: `the vendor monitors the user, and lists no alert${pushedPart(user)}`,
    next: [],
  };
}

/** Counts the alerts that the vendor pushed and has not listed, except alerts of an unknown bureau, which the user does not see. */
const shownPushes = ({ pushedAlerts, pushedAlertsOfUnknownBureau }: IdentityUser): number =>
  pushedAlerts - pushedAlertsOfUnknownBureau;

function pushedPart(user: IdentityUser): string {
  const shown = shownPushes(user);
  const hidden = user.pushedAlertsOfUnknownBureau;
  return [
    shown > 0
      ? `; the vendor pushed ${shown} that it has not listed yet: the user’s list contains them, but their details get 404 until the vendor has them`
      : '',
    hidden > 0
      ? `; the vendor pushed ${hidden} of a bureau that is not known here: the user does not see them until the vendor lists them`
      : '',
  ].join('');
}
