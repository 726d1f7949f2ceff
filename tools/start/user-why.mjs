import { deadLettersOf } from './dead-letter-store.mjs';
import { userAnswers } from './user-why-answers.mjs';

const QUESTIONS = { locked: 'Locked', enrolled: 'Enrolled', alerts: 'Alerts' };

/**
 * Tells of a user why it is locked, is not enrolled, or sees no alerts, and what to do next. Never personal data.
 *
 * @param {string} krn
 * @param {{ get: (path: string) => Promise<any>, url: string, databaseUrl: string | null, json?: boolean }} tools
 *   get: asks idp-api, which is at `url`
 * @returns {Promise<string>} for people, or JSON
 */
export async function userWhy(krn, { get, url, databaseUrl, json = false }) {
  const at = `/internal/users/${encodeURIComponent(krn)}`;
  const [user, vendor] = await Promise.all([get(at), get(`${at}/vendor`)]);
  const keys = [krn, ...user.subscriptions.map(({ id }) => id)];
  const deadLetters = databaseUrl === null ? null : await deadLettersOf(databaseUrl, ...keys);
  const facts = { user, vendor, url, deadLetters };
  const answers = userAnswers(facts);
  return json ? JSON.stringify({ ...answers, facts }, null, 2) : tellStory(answers, facts);
}

function tellStory(answers, facts) {
  const lines = factLines(facts).map(([name, text]) => `  ${name.padEnd(14)} ${text}`);
  const verdicts = Object.entries(QUESTIONS).map(
    ([name, title]) => `${`${title}:`.padEnd(10)}${answers[name].verdict}: ${answers[name].why}.`,
  );
  const next = [...new Set(Object.values(answers).flatMap((answer) => answer.next))];
  const last = next.length > 0 ? ['Next:', ...next.map((command) => `  ${command}`)] : [];
  return [`User ${facts.user.krn}`, ...lines, ...verdicts, ...last].join('\n');
}

/** What is known, in the order in which it happens. */
function factLines({ user, vendor, deadLetters }) {
  return [
    ...user.subscriptions.flatMap(subscriptionLines),
    ['entitled to', listed(user.entitlements)],
    ['profile', profileOf(user.profile)],
    ['verification', verificationOf(user.verification)],
    ...user.enrollments.flatMap(enrollmentLines),
    ['queue', queueOf(user.reconciliation)],
    ['vendor', vendorOf(user, vendor)],
    ['alerts', `${pushedOf(user)}${samplesOf(user.mock)}`],
    ...(deadLetters === null
      ? [['dead letters', 'not looked at: no DATABASE_URL']]
      : deadLetters.map(({ app, id, reason }) => ['dead letter', `${app} ${id}: ${reason}`])),
  ];
}

const listed = (values) => values.join(', ') || 'nothing';

const subscriptionLines = ({ id, state, entitlements, endsAt, events }) => [
  [
    'subscription',
    `${id} ${state.replaceAll('_', ' ')}: ${listed(entitlements)}${endsAt ? `, ends at ${endsAt}` : ''}`,
  ],
  ...events.map(({ type, occurredAt, effectiveAt, paymentStatus }) => [
    `  ${type}`,
    `${occurredAt}${effectiveAt ? `, in effect at ${effectiveAt}` : ''}${paymentStatus ? `, ${paymentStatus}` : ''}`,
  ]),
];

function profileOf(profile) {
  if (profile === null) return 'none';
  const configured = Object.entries(profile.configured).flatMap(([name, is]) => (is ? name : []));
  return `version ${profile.version}; stored: ${listed(configured)}; granted: ${listed(profile.grantedCodes)}`;
}

function verificationOf({ authenticated, attempts, lastAttemptAt, lockedUntil }) {
  if (lastAttemptAt === null) return 'the vendor was never asked';
  const outcome = authenticated ? 'confirmed' : `refused ${attempts} of 3 times`;
  return `${outcome}, last asked at ${lastAttemptAt}${lockedUntil ? `, locked until ${lockedUntil}` : ''}`;
}

const enrollmentLines = ({ code, wanted, active, reason, activatedAt, history }) => [
  [
    'enrollment',
    `${code} ${wanted ? 'wanted' : 'not wanted'} (${reason}), ${active ? `active since ${activatedAt}` : 'not active'}`,
  ],
  ...history.map((entry) => [`  ${entry.status}`, `${entry.at}: ${entry.reason}`]),
];

function queueOf(reconciliation) {
  if (reconciliation === null) return 'empty: the vendor is in line';
  const { kind, dueAt, failures, lastError } = reconciliation;
  const failed = failures === 0 ? '' : `, failed ${failures} times: ${lastError ?? 'no reason kept'}`;
  return `${kind.replaceAll('_', ' ')} due at ${dueAt}${failed}`;
}

function vendorOf({ arrayUserId }, { isKnown, enrolledCodes, hasAlerts, failures }) {
  if (failures.length > 0) return `${arrayUserId}: ${failures.join('; ')}`;
  if (!isKnown) return `${arrayUserId} is not known there`;
  return `${arrayUserId} is enrolled in ${listed(enrolledCodes)}; ${hasAlerts ? 'has alerts' : 'has no alerts'}`;
}

function pushedOf({ pushedAlerts, pushedAlertsOfUnknownBureau }) {
  const unknown = pushedAlertsOfUnknownBureau > 0 ? `, ${pushedAlertsOfUnknownBureau} of an unknown bureau` : '';
  return `${pushedAlerts} that the vendor told of and has not listed${unknown}`;
}

function samplesOf({ alerts, scans }) {
  const on = [...(alerts ? ['alerts'] : []), ...(scans ? ['scans'] : [])];
  return on.length > 0 ? `; samples of ${on.join(' and ')}` : '';
}
