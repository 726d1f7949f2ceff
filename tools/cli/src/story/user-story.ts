import type { components } from '../generated/support-api';
import { asSentence } from '../print';
import { commandsOf, type UrlOfApp } from './steps';

export type UserStory = components['schemas']['UserStory'];
type User = UserStory['user'];
type Line = readonly [name: string, text: string];

/**
 * Formats the story of a user for people: the known state of the user, the answers to three questions (is the user
 * locked, is the user enrolled, and does the user see alerts?), and the commands to copy.
 */
export function formatUser(story: UserStory, urlOf: UrlOfApp): string {
  const { user, locked, enrolled, alerts } = story;
  const lines = linesOf(story).map(([name, text]) => `  ${name.padEnd(14)} ${text}`);
  const answers = Object.entries({ Locked: locked, Enrolled: enrolled, Alerts: alerts }).map(
    ([title, { verdict, reason }]) => `${`${title}:`.padEnd(10)}${verdict}: ${asSentence(reason)}`,
  );
  const next = commandsOf(
    [locked, enrolled, alerts].flatMap((answer) => answer.next),
    urlOf,
  );
  const last = next.length > 0 ? ['Next:', ...next.map((command) => `  ${command}`)] : [];
  return [`User ${user.krn}`, ...lines, ...answers, ...last].join('\n');
}

const linesOf = ({ user, vendor, deadLetters }: UserStory): readonly Line[] => [
  ...user.subscriptions.flatMap(subscriptionLines),
  ['entitled to', listed(user.entitlements)],
  ['profile', profileOf(user.profile)],
  ['verification', verificationOf(user.verification)],
  ...user.enrollments.flatMap(enrollmentLines),
  ['queue', queueOf(user.reconciliation)],
  ['vendor', vendorOf(user, vendor)],
  ['alerts', `${pushedOf(user)}${samplesOf(user.mock)}`],
  ...deadLetters.map(({ app, id, reason }): Line => ['dead letter', `${app} ${id}: ${reason}`]),
];

const listed = (values: readonly string[]): string => values.join(', ') || 'nothing';

const subscriptionLines = ({ id, state, entitlements, endsAt, events }: User['subscriptions'][number]): Line[] => [
  [
    'subscription',
    `${id} ${state.replaceAll('_', ' ')}: ${listed(entitlements)}${endsAt ? `, ends at ${endsAt}` : ''}`,
  ],
  ...events.map(({ type, occurredAt, effectiveAt, paymentStatus }): Line => [
    `  ${type}`,
    `${occurredAt}${effectiveAt ? `, in effect at ${effectiveAt}` : ''}${paymentStatus ? `, ${paymentStatus}` : ''}`,
  ]),
];

function profileOf(profile: User['profile']): string {
  if (!profile) return 'none';
  const configured = Object.entries(profile.configured).flatMap(([name, is]) => (is ? name : []));
  return `version ${profile.version}; stored: ${listed(configured)}; granted: ${listed(profile.grantedCodes)}`;
}

function verificationOf({ authenticated, attempts, lastAttemptAt, lockedUntil }: User['verification']): string {
  if (!lastAttemptAt) return 'the vendor was never asked';
  const outcome = authenticated ? 'confirmed' : `refused ${attempts} of 3 times`;
  return `${outcome}, last asked at ${lastAttemptAt}${lockedUntil ? `, locked until ${lockedUntil}` : ''}`;
}

const enrollmentLines = ({
  code,
  wanted,
  active,
  reason,
  activatedAt,
  history,
}: User['enrollments'][number]): Line[] => [
  [
    'enrollment',
    `${code} ${wanted ? 'wanted' : 'not wanted'} (${reason}), ${active ? `active since ${activatedAt}` : 'not active'}`,
  ],
  ...history.map((entry): Line => [`  ${entry.status}`, `${entry.at}: ${entry.reason}`]),
];

function queueOf(reconciliation: User['reconciliation']): string {
  if (!reconciliation) return 'empty: the state of the vendor is the wanted one';
  const { kind, dueAt, failures, lastError } = reconciliation;
  const failed = failures === 0 ? '' : `, failed ${failures} times: ${lastError ?? 'no reason stored'}`;
  return `${kind.replaceAll('_', ' ')} due at ${dueAt}${failed}`;
}

function vendorOf({ arrayUserId }: User, vendor: UserStory['vendor']): string {
  const { isKnown, enrolledCodes, hasAlerts, failures } = vendor;
  if (failures.length > 0) return `${arrayUserId}: ${failures.join('; ')}`;
  if (!isKnown) return `the vendor does not know ${arrayUserId}`;
  return `${arrayUserId} is enrolled in ${listed(enrolledCodes ?? [])}; ${hasAlerts ? 'has alerts' : 'has no alerts'}`;
}

function pushedOf({ pushedAlerts, pushedAlertsOfUnknownBureau }: User): string {
  const unknown = pushedAlertsOfUnknownBureau > 0 ? `, ${pushedAlertsOfUnknownBureau} of an unknown bureau` : '';
  return `${pushedAlerts} pushed by the vendor that it has not listed yet${unknown}`;
}

function samplesOf({ alerts, scans }: User['mock']): string {
  const on = [...(alerts ? ['alerts'] : []), ...(scans ? ['scans'] : [])];
  return on.length > 0 ? `; samples of ${on.join(' and ')}` : '';
}
