import type { IdentityUser, UserAnswer, UserStep, UserStory } from '@tandem/internal-api';
import { BASE_ENTITLEMENT } from '../entitlement/entitlement.rules';
import { MAX_ATTEMPTS } from '../profile/verification.rules';
import { alertsAnswer } from './alerts-answer.rules';
import { deadLetterAnswer, FROM_VENDOR, listed, logsOf, READ_VENDOR_METRICS } from './user-answer';

/* The functions of this file explain why a user is locked, is not enrolled, or sees no alerts. They do no I/O. */

/** What is known about a user. */
export type UserFacts = Pick<UserStory, 'user' | 'vendor' | 'deadLetters'>;

export function judge(facts: UserFacts, now: Date): Pick<UserStory, 'locked' | 'enrolled' | 'alerts'> {
  const enrolled = enrolledAnswer(facts, now);
  return { locked: lockedAnswer(facts.user), enrolled, alerts: alertsAnswer(facts, enrolled) };
}

/** Returns what support can do to end the lock. A user without a profile has no data to correct. */
const whatUnlocks = ({ profile }: IdentityUser): string =>
  profile === null
    ? 'unlocks the user'
    : 'changes the personal data, which restores all attempts if the vendor confirms the data, or unlocks the user';

function lockedAnswer(user: IdentityUser): UserAnswer {
  const { lock, lockedUntil, attempts, remainingAttempts, lastAttemptAt } = user.verification;
  const next: UserStep[] = [{ step: 'unlock_user', krn: user.krn }, logsOf(user)];
  if (lock === 'maximum') {
    const reason = `the vendor refused the identity ${attempts} times, the last time at ${lastAttemptAt}: no attempt is left until support ${whatUnlocks(user)}`;
    return { verdict: 'maximum', reason, next };
  }
  if (lock === 'wait') {
    const reason = `the vendor refused the identity ${attempts} of ${MAX_ATTEMPTS} times: no attempt before ${lockedUntil}, unless support ${whatUnlocks(user)}`;
    return { verdict: 'waiting', reason, next };
  }
  const reason =
    attempts === 0 ? 'no verification was refused' : `${remainingAttempts} attempts are left, and there is no wait`;
  return { verdict: 'not_locked', reason, next: [] };
}

function enrolledAnswer(facts: UserFacts, now: Date): UserAnswer {
  const { user } = facts;
  if (user.profile === null) return withoutProfile(facts);
  if (isBehind(user, now)) return behind(user);
  if (!user.entitlements.includes(BASE_ENTITLEMENT)) return notEntitled(facts);
  if ((user.reconciliation?.failures ?? 0) > 0) return behind(user);
  return inLine(facts);
}

/** Returns whether a queued user is due, or has an enrollment whose `active` differs from `wanted`. False if the user is not queued. */
const isBehind = ({ enrollments, reconciliation }: IdentityUser, now: Date): boolean =>
  reconciliation !== null &&
  (enrollments.some(({ wanted, active }) => wanted !== active) || Date.parse(reconciliation.dueAt) <= now.getTime());

function withoutProfile(facts: UserFacts): UserAnswer {
  const { user } = facts;
  const { reconciliation } = user;
  const next = [logsOf(user)];
  if (reconciliation !== null && reconciliation.failures > 0) {
    const { failures, lastError, dueAt } = reconciliation;
    const reason = `there is no profile, and deleting the user at the vendor failed ${failures} times (${lastError ?? 'no reason stored'}); the next attempt is at ${dueAt}`;
    return { verdict: 'removal_failing', reason, next: [READ_VENDOR_METRICS, ...next] };
  }
  if (reconciliation !== null) {
    const reason = `there is no profile, and the user is still to be deleted at the vendor: the next attempt is at ${reconciliation.dueAt}`;
    return { verdict: 'removal_pending', reason, next };
  }
  if (!user.entitlements.includes(BASE_ENTITLEMENT)) return notEntitled(facts);
  const reason =
    user.verification.lock === null
      ? 'the user is entitled, but has no profile: the app creates it when the user enters the personal data'
      : 'there is no profile, and the user cannot create one now, because the user is locked';
  return { verdict: 'no_profile', reason, next };
}

/** Explains why the user is not entitled: an event became a dead letter, or is missing. */
function notEntitled({ user, deadLetters }: UserFacts): UserAnswer {
  const letter = deadLetterAnswer(
    user,
    deadLetters.filter(({ topic }) => topic !== FROM_VENDOR),
  );
  if (letter) return letter;
  const next: UserStep[] = [
    logsOf(user),
    ...user.subscriptions.map(({ id }): UserStep => ({ step: 'read_logs', oid: id })),
  ];
  const live = user.subscriptions.filter(({ state }) => state === 'live');
  const ended = user.subscriptions.filter(({ state }) => state === 'ended');
  if (live.length > 0) {
    const held = listed(live.flatMap(({ entitlements }) => entitlements)) || 'nothing of identity protection';
    const reason = `the plan of ${listed(live.map(({ id }) => id))} entitles to ${held}, and not to ${BASE_ENTITLEMENT}: subscription.plan_changed, or a purchase of another plan, is missing`;
    return { verdict: 'plan_without_identity', reason, next };
  }
  if (ended.length > 0) {
    const reason = `${ended.map(endOf).join('; ')}: subscription.renewed or a new purchase is missing`;
    return { verdict: 'subscription_ended', reason, next };
  }
  if (user.subscriptions.length > 0) {
    const ids = listed(user.subscriptions.map(({ id }) => id));
    const reason = `no captured payment is known for ${ids}: subscription.purchased with paymentStatus captured is missing`;
    return { verdict: 'payment_not_captured', reason, next };
  }
  const reason =
    'no subscription of this KRN is known: subscription.purchased with customer.krn is missing, from billing';
  return { verdict: 'no_subscription', reason, next: [...next, { step: 'list_dead_letters' }] };
}

/** The types of billing's events that do not end a subscription. */
const GOES_ON = ['purchased', 'renewed', 'plan_changed'];

function endOf({ id, endsAt, events }: IdentityUser['subscriptions'][number]): string {
  const end = events.findLast(({ type }) => !GOES_ON.includes(type));
  return `${id} was ${(end?.type ?? 'ended').replaceAll('_', ' ')}, which ended it at ${endsAt}`;
}

function behind(user: IdentityUser): UserAnswer {
  const { dueAt, failures, lastError } = user.reconciliation ?? { dueAt: 'once', failures: 0, lastError: null };
  const missing = user.enrollments.filter(({ wanted, active }) => wanted !== active).map(({ code }) => code);
  const what =
    missing.length > 0
      ? `${listed(missing)} must still be started or ended at the vendor`
      : 'the products at the vendor must be compared again';
  if (failures === 0) {
    return {
      verdict: 'waiting',
      reason: `${what}; this happens automatically at ${dueAt}`,
      next: [logsOf(user)],
    };
  }
  const reason = `${what}, which failed ${failures} times: ${lastError ?? 'no reason stored'}; the next attempt follows automatically at ${dueAt}`;
  return { verdict: 'vendor_failing', reason, next: [READ_VENDOR_METRICS, logsOf(user)] };
}

function inLine({ user, vendor, deadLetters }: UserFacts): UserAnswer {
  const granted = user.profile?.grantedCodes ?? [];
  const wanted = user.enrollments.filter((enrollment) => enrollment.wanted).map(({ code }) => code);
  const ended = endedByVendor(user);
  const endedCodes = ended.map(({ code }) => code);
  const missing = new Set([
    ...granted.filter((code) => !wanted.includes(code) && !endedCodes.includes(code)),
    ...wanted.filter((code) => vendor.enrolledCodes !== null && !vendor.enrolledCodes.includes(code)),
  ]);
  if (missing.size > 0) return deadLetterAnswer(user, deadLetters) ?? outOfLine(user, [...missing]);
  if (ended.length > 0) {
    const enrolls =
      user.verification.lock === null ? 'the user enrolls or migrates, support enrolls the user' : 'the user migrates';
    const reason = `the vendor itself ended ${listed(ended.map(endedAt))}: not enrolled again until ${enrolls}, support starts a sync, a purchase is paid, or the vendor reverses the end`;
    return { verdict: 'ended_by_vendor', reason, next: [{ step: 'sync_enrollments', krn: user.krn }, logsOf(user)] };
  }
  const left =
    user.profile?.version === 0 ? ' (version 0 has fewer products: a migration to version 1 adds the others)' : '';
  const reason = `the user is enrolled in everything that is granted: ${listed(wanted)}${left}`;
  return { verdict: 'enrolled', reason, next: [] };
}

function outOfLine(user: IdentityUser, missing: readonly string[]): UserAnswer {
  const reason = `${listed(missing)} should be active, but is not active at the vendor, and no correction is planned: this is a bug, keep the logs; a correction of the products (a sync) enrolls the user again`;
  return { verdict: 'out_of_line', reason, next: [{ step: 'sync_enrollments', krn: user.krn }, logsOf(user)] };
}

/** Returns the enrollments that are granted but not wanted, because the vendor itself ended them. */
const endedByVendor = ({ enrollments, profile }: IdentityUser): readonly IdentityUser['enrollments'][number][] =>
  enrollments.filter(
    ({ code, wanted, reason }) => !wanted && reason === 'vendor' && profile?.grantedCodes.includes(code),
  );

function endedAt({ code, history }: IdentityUser['enrollments'][number]): string {
  const end = history.findLast(({ status }) => status === 'inactive');
  return end ? `${code} at ${end.at}` : code;
}
