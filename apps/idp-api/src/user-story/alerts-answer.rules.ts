import type { IdentityUser, UserAnswer, UserStory } from '@tandem/internal-api';
import { listed, logsOf, READ_VENDOR_METRICS } from './user-answer';

/** The enrollments that produce alerts. */
const ALERTING = ['IDENTITY_MONITORING', 'CREDIT_MONITORING', 'NEIGHBORHOOD_WATCH', 'TITLE_MONITORING'];

/** Explains why the user sees alerts or does not. @param enrolled the answer to the question about enrollment */
export function alertsAnswer({ user, vendor }: Pick<UserStory, 'user' | 'vendor'>, { next }: UserAnswer): UserAnswer {
  if (user.profile === null) return { verdict: 'no_profile', reason: 'there is no profile (see enrolled)', next };
  if (vendor.failures.length > 0) {
    const reason = `the vendor cannot be asked now: ${listed(vendor.failures)}; "it keeps failing" is an open breaker, and requests of the user get 502 or 504 until the vendor is back`;
    return { verdict: 'vendor_unavailable', reason, next: [READ_VENDOR_METRICS, logsOf(user)] };
  }
  if (!vendor.isKnown) {
    const reason = 'the vendor does not know the user (see enrolled): lists of alerts are answered with 502';
    return { verdict: 'unknown_at_vendor', reason, next: [logsOf(user)] };
  }
  if (vendor.hasAlerts || shownPushes(user) > 0) {
    const reason = `there are alerts: the client asks for others (bureau, class, offset), or shows only those that are not read${pushedPart(user)}`;
    return { verdict: 'has_alerts', reason, next: [logsOf(user)] };
  }
  if (user.mock.alerts)
    return { verdict: 'samples', reason: 'the user has switched samples on, and sees those', next: [] };
  if (!ALERTING.some((code) => vendor.enrolledCodes?.includes(code))) {
    const reason = 'the user is enrolled in nothing that finds alerts (see enrolled)';
    return { verdict: 'not_enrolled', reason, next };
  }
  return { verdict: 'no_alerts', reason: `the vendor watches the user and lists nothing${pushedPart(user)}`, next: [] };
}

/** Counts the alerts that the vendor pushed and has not listed, except alerts of an unknown bureau, which no list shows. */
const shownPushes = ({ pushedAlerts, pushedAlertsOfUnknownBureau }: IdentityUser): number =>
  pushedAlerts - pushedAlertsOfUnknownBureau;

function pushedPart(user: IdentityUser): string {
  const shown = shownPushes(user);
  const hidden = user.pushedAlertsOfUnknownBureau;
  return [
    shown > 0
      ? `; the vendor pushed ${shown} that it has not listed yet: they are in the list, and their details are 404 until the vendor knows them`
      : '',
    hidden > 0
      ? `; the vendor pushed ${hidden} of a bureau that is not known here: no list has them until the vendor lists them`
      : '',
  ].join('');
}
