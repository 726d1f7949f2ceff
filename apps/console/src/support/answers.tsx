import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { Sentence } from '../components/sentence';
import type { components } from '../generated/support-api';
import { answerTexts } from '../texts/answers';
import { ForEngineers } from './for-engineers';
import { inactiveProducts, notActiveYet } from './products';
import { withNames } from './words';

type Story = components['schemas']['UserStory'];
type Name = keyof typeof answerTexts.questions;

const { answers, special } = answerTexts;

interface Answered {
  readonly state: string;
  readonly next: string;
  readonly hasDetails?: boolean;
  /** The question whose details are shown below the answer. If omitted, these are the details of the answered question itself. */
  readonly detailsOf?: Name;
}

/** The entitlement that every use of identity protection needs. */
const BASE_ENTITLEMENT = 'idp.identity';

/** The verdicts about a user who has to enter the personal data in the app. A locked user cannot do this. */
const WAITING_FOR_DATA = ['no_profile', 'removal_pending', 'removal_failing'];

/** The verdicts that only state that a user has no profile or no plan. If support has erased the user, such a verdict needs no action. */
const WITHOUT_DATA = [
  'no_profile',
  'no_subscription',
  'payment_not_captured',
  'subscription_ended',
  'plan_without_identity',
];

/**
 * Returns the answer to a question in support's words: undefined if the API gave a verdict that this version of the console does not know.
 *
 * @param isErased whether support has erased the user, who has had no profile since then
 */
function answerTo(name: Name, story: Story, isErased: boolean): Answered | undefined {
  const { verdict } = story[name];
  if (verdict === 'not_locked') return notLockedAnswer(story);
  if (isErased && name !== 'locked' && WITHOUT_DATA.includes(verdict)) return erasedAnswer(name, story);
  if (isErased && name === 'enrolled' && Object.hasOwn(special.erasing, verdict)) return erasingAnswer(story);
  if (name === 'enrolled' && verdict === 'enrolled' && story.vendor.enrolledCodes === null) return special.unchecked;
  if (verdict === 'no_alerts' && story.user.pushedAlertsOfUnknownBureau > 0) return special.alertsNotShown;
  const inactive = verdict === 'no_alerts' ? inactiveProducts(story) : [];
  if (inactive.length > 0) return { state: special.alertsInPart(inactive.join(', ')), next: special.seeProducts };
  if (verdict === 'enrolled' && story.user.profile?.version === 0) return special.oldVersion;
  const answer = Object.hasOwn(answers[name], verdict) ? answers[name][verdict] : undefined;
  return answer && { ...answer, ...changesOf(name, story) };
}

/** Returns the parts of the answer that depend on more than the verdict, such as when a lock or a wait ends, or that a lock must end first. */
function changesOf(name: Name, story: Story): Partial<Answered> {
  const { user } = story;
  const { verdict } = story[name];
  const dueAt = user.reconciliation?.dueAt;
  if (name === 'locked') return lockChanges(story);
  if (name === 'alerts') return verdict === 'vendor_unavailable' ? unavailableChanges(story) : {};
  if (WAITING_FOR_DATA.includes(verdict) && user.verification.lock !== null) return { next: special.seeLock };
  const isPlanned = verdict === 'waiting' && dueAt !== undefined && Date.parse(dueAt) > Date.now();
  return isPlanned ? { next: special.waitUntil(dueAt) } : {};
}

function lockChanges({ user, locked: { verdict } }: Story): Partial<Answered> {
  const { lockedUntil, attempts, remainingAttempts } = user.verification;
  const general = answers.locked[verdict]?.state;
  const state = lockedUntil === null ? general : special.lockedUntil(lockedUntil, attempts, remainingAttempts);
  if (user.profile === null) return { state, next: special.lockedWithoutProfile[verdict] };
  return { state: state && `${state} ${special.lockScope}` };
}

/** While the vendor cannot be read, the answer also says how many products are not active yet, because an inactive product finds no alerts. */
function unavailableChanges(story: Story): Partial<Answered> {
  const { count, all } = notActiveYet(story);
  const state = answers.alerts['vendor_unavailable']?.state;
  return { state: count > 0 ? `${state} ${special.notActiveYet(count, all)}` : state };
}

/**
 * Returns the answer for a user who is not locked, which says whether the user can do an identity check now. The first check needs a plan, and
 * creates the profile.
 */
function notLockedAnswer({ user, enrolled }: Story): Answered | undefined {
  // A dead letter may be the purchase, so it is not certain that the user has no plan.
  if (!user.entitlements.includes(BASE_ENTITLEMENT))
    return enrolled.verdict === 'dead_letter' ? special.noPlanKnown : special.notPaid;
  if (user.profile === null) {
    // The answer about the products says whether the user has just entered the personal data.
    return user.reconciliation === null ? special.notEntered : { ...special.notEntered, next: special.seeProducts };
  }
  const answer = answers.locked['not_locked'];
  return answer && !user.verification.authenticated ? { ...answer, next: special.repeatCheck } : answer;
}

/** Returns the answer to a question. An answer that depends on the products says what to do about them, with their details. */
function wholeAnswer(name: Name, story: Story, isErased: boolean): Answered | undefined {
  const answer = answerTo(name, story, isErased);
  const products = answer?.next === special.seeProducts ? answerTo('enrolled', story, isErased) : undefined;
  return answer && products ? { ...products, state: answer.state, detailsOf: 'enrolled' } : answer;
}

function erasedAnswer(name: 'enrolled' | 'alerts', { user }: Story): Answered {
  const isPaid = name === 'enrolled' && user.subscriptions.some(({ state }) => state === 'live');
  const { state, next } = special.erased[name];
  // The API's words are left out: they say what the user has to do to get a profile.
  return { state, next: isPaid ? `${next} ${special.stillPaid}` : next, hasDetails: false };
}

/** Returns what is still to do at the vendor for an erased user, who may have entered the personal data again. */
function erasingAnswer({ user, enrolled: { verdict } }: Story): Answered | undefined {
  const answer = special.erasing[verdict];
  const ofNewData = user.verification.lock === null ? answer?.enteredAgain : special.seeLock;
  return answer && { state: answer.state, next: `${answer.next} ${ofNewData}` };
}

interface AnswersProps {
  readonly story: Story;
  readonly isErased: boolean;
}

/**
 * Returns whether a question makes sense for a user. For an erased user without identity checks, the answer "not locked" is left out: support would
 * read it as advice to ask the user for the personal data again.
 */
const isAsked = (name: Name, { locked, user }: Story, isErased: boolean): boolean =>
  name !== 'locked' || !isErased || locked.verdict !== 'not_locked' || user.verification.attempts > 0;

/** The answers to support's questions about a user, each with what to do next and the API's own words, which are exact but technical. */
export const Answers = ({ story, isErased }: AnswersProps) => (
  <SimpleGrid cols={{ base: 1, md: 3 }}>
    {(Object.keys(answerTexts.questions) as Name[])
      .filter((name) => isAsked(name, story, isErased))
      .map((name) => (
        <Answer key={name} name={name} story={story} isErased={isErased} />
      ))}
  </SimpleGrid>
);

function Answer({ name, story, isErased }: AnswersProps & { readonly name: Name }) {
  // If the console has no answer for this verdict, only the API's words are shown.
  const known = wholeAnswer(name, story, isErased);
  const words = withNames(story[known?.detailsOf ?? name].reason);
  return (
    <Paper withBorder p="md">
      <Title order={2} mb={4}>
        {answerTexts.questions[name]}
      </Title>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <Sentence withUtc>{known?.state ?? words}</Sentence>
      </Text>
      {known && (
        <Text size="sm" mt={4}>
          <b>{answerTexts.next}</b> <Sentence withUtc>{known.next}</Sentence>
        </Text>
      )}
      {known && known.hasDetails !== false && (
        <ForEngineers>
          <Sentence>{words}</Sentence>
        </ForEngineers>
      )}
    </Paper>
  );
}
