/**
 * Why a user is locked, is not enrolled, or sees no alerts, by what is known: no I/O, so that each answer is one row here.
 *
 * @typedef {object} Facts
 * @property {object} user  IdentityUser of libs/internal-api
 * @property {object} vendor  IdentityUserAtVendor of libs/internal-api
 * @property {string} url  idp-api's own address
 * @property {object[] | null} deadLetters  not replayed, of this user; null: the database is not known here
 *
 * @typedef {{ verdict: string, why: string, next: string[] }} Answer  `next`: commands to copy, in their order
 */

import { quoted } from './why-answers.mjs';

/** Alerts come with these. */
const ALERTING = ['IDENTITY_MONITORING', 'CREDIT_MONITORING', 'NEIGHBORHOOD_WATCH', 'TITLE_MONITORING'];
const BASE = 'idp.identity';

const logsOf = ({ krn }) => `npm run logs -- --krn ${quoted(krn)}`;
/** Calls of the vendor by route and outcome: `open` is a breaker. */
const metricsOf = (url) => `curl -s ${url}/metrics | grep vendor_request_duration_seconds_count`;
const listed = (values) => values.join(', ');

/** @param {Facts} facts @returns {{ locked: Answer, enrolled: Answer, alerts: Answer }} */
export function userAnswers(facts) {
  const enrolled = enrolledAnswer(facts);
  return { locked: lockedAnswer(facts), enrolled, alerts: alertsAnswer(facts, enrolled) };
}

/** Without a profile there is no data to correct. */
const unlockOf = ({ krn, profile }) => {
  const unlock = `unlocks the user (POST /idp/support/users/${krn}/unlock)`;
  return profile === null
    ? unlock
    : `corrects the data (a PATCH that the vendor confirms resets the count), or ${unlock}`;
};

function lockedAnswer({ user }) {
  const { lock, lockedUntil, attempts, remainingAttempts, lastAttemptAt } = user.verification;
  const next = [logsOf(user)];
  if (lock === 'maximum') {
    const why = `the vendor refused the identity ${attempts} times, the last time at ${lastAttemptAt}: no attempt is left until support ${unlockOf(user)}`;
    return { verdict: 'maximum', why, next };
  }
  if (lock === 'wait') {
    const why = `the vendor refused the identity ${attempts} of 3 times: no attempt before ${lockedUntil}, unless support ${unlockOf(user)}`;
    return { verdict: 'waiting', why, next };
  }
  const why =
    attempts === 0 ? 'no verification was refused' : `${remainingAttempts} attempts are left, and no wait holds`;
  return { verdict: 'not_locked', why, next: [] };
}

function enrolledAnswer(facts) {
  const { user } = facts;
  if (user.profile === null) return withoutProfile(facts);
  if (user.reconciliation !== null && isBehind(user)) return notInLine(facts);
  if (!user.entitlements.includes(BASE)) return notEntitled(facts);
  if (user.reconciliation?.failures > 0) return notInLine(facts);
  return inLine(facts);
}

/** What is wanted and what is so differ, or what was learned of the subscriptions is not looked at yet. */
const isBehind = ({ enrollments, reconciliation }) =>
  enrollments.some(({ wanted, active }) => wanted !== active) || Date.parse(reconciliation.dueAt) <= Date.now();

function withoutProfile(facts) {
  const { user, url } = facts;
  if (user.reconciliation?.failures > 0) {
    const { failures, lastError, dueAt } = user.reconciliation;
    const why = `there is no profile, and its removal at the vendor failed ${failures} times (${lastError ?? 'no reason kept'}); the next try is at ${dueAt}`;
    return { verdict: 'removal_failing', why, next: [metricsOf(url), logsOf(user)] };
  }
  if (user.reconciliation !== null) {
    const why = `there is no profile, and the vendor is told to remove the user at ${user.reconciliation.dueAt}`;
    return { verdict: 'removal_pending', why, next: [logsOf(user)] };
  }
  if (!user.entitlements.includes(BASE)) return notEntitled(facts);
  if (user.verification.lock !== null) {
    const why =
      'there is no profile, and the user can create none now: verifications of the identity were refused (see Locked)';
    return { verdict: 'no_profile', why, next: [logsOf(user)] };
  }
  const why = 'the user is entitled, and made no profile yet: POST /idp/array/users, by the client app';
  return { verdict: 'no_profile', why, next: [logsOf(user)] };
}

/** Which event is missing. */
function notEntitled({ user, deadLetters }) {
  if (deadLetters?.length > 0) return deadLetter(user, deadLetters[0]);
  const next = [logsOf(user), ...user.subscriptions.map(({ id }) => `npm run logs -- --oid ${quoted(id)}`)];
  const live = user.subscriptions.filter(({ state }) => state === 'live');
  const ended = user.subscriptions.filter(({ state }) => state === 'ended');
  if (live.length > 0) {
    const held = listed(live.flatMap(({ entitlements }) => entitlements)) || 'nothing of identity protection';
    const why = `the plan of ${listed(live.map(({ id }) => id))} entitles to ${held}, and not to ${BASE}: subscription.plan_changed, or a purchase of another plan, is missing`;
    return { verdict: 'plan_without_identity', why, next };
  }
  if (ended.length > 0) {
    const why = `${ended.map(endOf).join('; ')}: subscription.renewed or a new purchase is missing`;
    return { verdict: 'subscription_ended', why, next };
  }
  if (user.subscriptions.length > 0) {
    const ids = listed(user.subscriptions.map(({ id }) => id));
    const why = `${ids} is not paid as far as is known: subscription.purchased with paymentStatus captured is missing`;
    return { verdict: 'payment_not_captured', why, next };
  }
  const why = 'no subscription of this KRN is known: subscription.purchased with customer.krn is missing, from billing';
  return { verdict: 'no_subscription', why, next: [...next, 'npm run dead-letters -- list'] };
}

function endOf({ id, endsAt, events }) {
  const end = events.findLast(({ type }) => !['purchased', 'renewed', 'plan_changed'].includes(type));
  return `${id} was ${(end?.type ?? 'ended').replaceAll('_', ' ')}, which ended it at ${endsAt}`;
}

const deadLetter = (user, { app, id, topic, reason }) => ({
  verdict: 'dead_letter',
  why: `${app} could not handle the event ${topic} and stored it as a dead letter: ${reason}`,
  next: [logsOf(user), `npm run dead-letters -- replay --app ${app} --id ${id}`],
});

function notInLine({ user, url }) {
  const { dueAt, failures, lastError } = user.reconciliation;
  const missing = user.enrollments.filter(({ wanted, active }) => wanted !== active).map(({ code }) => code);
  const what = missing.length > 0 ? `${listed(missing)} and the vendor differ` : 'the vendor is asked';
  if (failures === 0) {
    const why = `${what}: it is reconciled at ${dueAt}`;
    return { verdict: 'waiting', why, next: [logsOf(user)] };
  }
  const why = `${what}, and reconciling them failed ${failures} times: ${lastError ?? 'no reason kept'}; the next try is at ${dueAt}, by itself`;
  return { verdict: 'vendor_failing', why, next: [metricsOf(url), logsOf(user)] };
}

function inLine({ user, vendor, deadLetters }) {
  const wanted = user.enrollments.filter((enrollment) => enrollment.wanted).map(({ code }) => code);
  const others = vendor.enrolledCodes === null ? [] : wanted.filter((code) => !vendor.enrolledCodes.includes(code));
  const ended = endedByVendor(user);
  const endedCodes = ended.map(({ code }) => code);
  const behind = user.profile.grantedCodes.filter((code) => !wanted.includes(code) && !endedCodes.includes(code));
  if (behind.length > 0 || others.length > 0) {
    if (deadLetters?.length > 0) return deadLetter(user, deadLetters[0]);
    const why = `${listed([...new Set([...behind, ...others])])} should be active, is not so at the vendor, and nothing is queued: POST /idp/support/users/${user.krn}/enrollment-sync enrolls the user again; this is a bug, keep the logs`;
    return { verdict: 'out_of_line', why, next: [logsOf(user)] };
  }
  if (ended.length > 0) {
    const why = `the vendor itself ended ${listed(ended.map(endedAt))}: that stays so until ${user.verification.lock === null ? 'the user enrolls or migrates' : 'the user migrates'}, support syncs the enrollments, a purchase comes, or the vendor takes it back`;
    return { verdict: 'ended_by_vendor', why, next: [logsOf(user)] };
  }
  const left = user.profile.version === 0 ? ' (version 0 has fewer codes: a migration to 1 gives the others)' : '';
  const why = `the user is enrolled in everything that is granted: ${listed(wanted)}${left}`;
  return { verdict: 'enrolled', why, next: [] };
}

/** Granted, and not wanted since the vendor itself ended them. */
const endedByVendor = ({ enrollments, profile }) =>
  enrollments.filter(
    ({ code, wanted, reason }) => !wanted && reason === 'vendor' && profile.grantedCodes.includes(code),
  );

function endedAt({ code, history }) {
  const end = history.findLast(({ status }) => status === 'inactive');
  return end ? `${code} at ${end.at}` : code;
}

/** Alerts that the vendor pushed and has not listed: those of an unknown bureau are in no list. */
const shownPushes = ({ pushedAlerts, pushedAlertsOfUnknownBureau }) => pushedAlerts - pushedAlertsOfUnknownBureau;

function pushedPart(user) {
  const shown =
    shownPushes(user) > 0
      ? `; the vendor pushed ${shownPushes(user)} that it has not listed yet: they are in the list, and their details are 404 until the vendor knows them`
      : '';
  const hidden =
    user.pushedAlertsOfUnknownBureau > 0
      ? `; the vendor pushed ${user.pushedAlertsOfUnknownBureau} of a bureau that is not known here: no list has them until the vendor lists them`
      : '';
  return `${shown}${hidden}`;
}

function alertsAnswer({ user, vendor, url }, enrolled) {
  const { next } = enrolled;
  if (user.profile === null) return { verdict: 'no_profile', why: 'there is no profile (see Enrolled)', next };
  if (vendor.failures.length > 0) {
    const why = `the vendor cannot be asked now: ${listed(vendor.failures)}; "it keeps failing" is an open breaker, and requests of the user get 502 or 504 until the vendor is back`;
    return { verdict: 'vendor_away', why, next: [metricsOf(url), logsOf(user)] };
  }
  if (!vendor.isKnown) {
    const why = 'the vendor does not know the user (see Enrolled): lists of alerts are answered with 502';
    return { verdict: 'unknown_at_vendor', why, next: [logsOf(user)] };
  }
  if (vendor.hasAlerts || shownPushes(user) > 0) {
    const why = `there are alerts: the client asks for others (bureau, class, offset), or shows only those that are not read${pushedPart(user)}`;
    return { verdict: 'has_alerts', why, next: [logsOf(user)] };
  }
  if (user.mock.alerts)
    return { verdict: 'samples', why: 'the user has switched samples on, and sees those', next: [] };
  if (!ALERTING.some((code) => vendor.enrolledCodes.includes(code))) {
    const why = 'the user is enrolled in nothing that finds alerts (see Enrolled)';
    return { verdict: 'not_enrolled', why, next };
  }
  const why = `the vendor watches the user and lists nothing${pushedPart(user)}`;
  return { verdict: 'no_alerts', why, next: [] };
}
