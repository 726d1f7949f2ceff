import type { IdentityUser, UserAnswer, UserStory } from '@tandem/internal-api';
import { deadLetterAnswer, FROM_VENDOR, listed, logsOf, READ_VENDOR_METRICS } from './user-answer';

/** The codes whose enrollments produce alerts. */
const ALERTING = ['IDENTITY_MONITORING', 'CREDIT_MONITORING', 'NEIGHBORHOOD_WATCH', 'TITLE_MONITORING'];

/**
 * Explains why the user sees alerts or does not. If the user has no profile, or no enrollment that produces alerts, the next steps are those
 * of the second argument, which explains whether the user is enrolled.
 */
export function alertsAnswer(
  { user, vendor, deadLetters }: Pick<UserStory, 'user' | 'vendor' | 'deadLetters'>,
  { next }: UserAnswer,
): UserAnswer {
  if (user.profile === null) return { verdict: 'no_profile', reason: 'without a profile, there are no alerts', next };
  if (vendor.failures.length > 0) {
    const reason = `the vendor cannot be read now: ${listed(vendor.failures)}. Until the vendor answers again, the app can get errors (502 or 504)`;
    return { verdict: 'vendor_unavailable', reason, next: [READ_VENDOR_METRICS, logsOf(user)] };
  }
  if (!vendor.isKnown) {
    const reason =
      'the vendor does not know the user, so the app gets an error (502) instead of a list of alerts; a correction of the products (a sync) creates the user there again';
    return { verdict: 'unknown_at_vendor', reason, next: [{ step: 'sync_enrollments', krn: user.krn }, logsOf(user)] };
  }
  if (vendor.hasAlerts || shownPushes(user) > 0) {
    const reason = `there are alerts. An app that shows no alerts requests another bureau, class or page, or shows only unread alerts${pushedPart(user)}`;
    return { verdict: 'has_alerts', reason, next: [logsOf(user)] };
  }
  if (user.mock.alerts)
    return { verdict: 'samples', reason: 'samples are turned on for the user, who sees only sample alerts', next: [] };
  if (!ALERTING.some((code) => vendor.enrolledCodes?.includes(code))) {
    const reason = `no product that finds alerts is active at the vendor; these products are ${listed(ALERTING)}`;
    return { verdict: 'not_enrolled', reason, next };
  }
  const letter = deadLetterAnswer(
    user,
    deadLetters.filter(({ topic }) => topic === FROM_VENDOR),
  );
  if (letter) return letter;
  return {
    verdict: 'no_alerts',
    reason: `the vendor watches the user’s data, and lists no alert${pushedPart(user)}`,
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
      ? `. Alerts that the vendor has reported but does not list yet: ${shown}. The user’s list contains them, but their details get an error (404) until the vendor lists them`
      : '',
    hidden > 0
      ? `. Alerts that the vendor has reported of a bureau that is unknown here: ${hidden}. The user does not see them until the vendor lists them`
      : '',
  ].join('');
}
