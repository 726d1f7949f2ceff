import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { answerOf, supportApi } from '../api/clients';
import { toApiError } from '../api/problem';
import { AUDITED } from '../api/query';
import { Copyable } from '../components/copyable';
import { Facts } from '../components/facts';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { Acts } from './acts';
import { Answers } from './answers';
import { Countdown } from './countdown';
import { Erasures, erasuresOf, isUnanswered, refreshAfterErasure, staysErased } from './erasures';
import { VendorFailures } from './for-engineers';
import { isKrn } from './krn';
import { containsNothing, hasOnlyRecords, NoKrn, NoPersonalData, NothingStored } from './nothing-stored';
import { isPlannedFor, PlanSummary, Plans } from './plans';
import { creditScoreOf, Products } from './products';
import { refreshAfter, Synchronization, type SyncRequest } from './synchronization';
import { UserTrail } from './trail';
import { dataName, reconciliationWords } from './words';

const t = supportTexts.user;
type Story = components['schemas']['UserStory'];
type User = components['schemas']['IdentityUser'];

/** Asks the API whether anything is stored about a user. The story does not show this: it has an answer for every KRN, even for an invented one. */
async function isKnown(krn: string): Promise<boolean> {
  try {
    await answerOf(supportApi.GET('/idp/support/users/{user_id}', { params: { path: { user_id: krn } } }));
    return true;
  } catch (error) {
    if (toApiError(error).status === 404) return false;
    throw error;
  }
}

/**
 * The page of a user, without personal data: what support can do, what is paid for, the answers to support's questions, and the facts behind them.
 */
export default function UserPage() {
  const { krn = '' } = useParams();
  // The key resets the state when a search leads to another user, to whom the erasure or synchronization of the previous user does not apply.
  return isKrn(krn) ? <UserOf key={krn} krn={krn} /> : <NoKrn />;
}

function UserOf({ krn }: { krn: string }) {
  const [erasedAt, setErasedAt] = useState<number>();
  const [openedAt] = useState(Date.now);
  const [sync, setSync] = useState<SyncRequest>();
  const story = useQuery({
    queryKey: ['user', krn, 'story'],
    queryFn: () =>
      answerOf(supportApi.GET('/idp/support/users/{user_id}/story', { params: { path: { user_id: krn } } })),
    // The story must be current, because the offered actions depend on it.
    staleTime: 0,
    refetchInterval: ({ state }) =>
      refreshAfter(sync, state.data, state.dataUpdatedAt) ||
      refreshAfterErasure({ openedAt, erasedAt }, state.data, state.dataUpdatedAt),
    ...AUDITED,
  });
  const mayBeUnknown = story.data !== undefined && containsNothing(story.data);
  const known = useQuery({
    queryKey: ['user', krn, 'known'],
    queryFn: () => isKnown(krn),
    enabled: mayBeUnknown,
    ...AUDITED,
  });
  const hasNoProfile = story.data?.user.profile === null;
  const erasures = useQuery({ ...erasuresOf(krn), enabled: hasNoProfile });
  const canEraseAgain = isUnanswered(erasures.data);
  const isErased = (told: Story): boolean =>
    hasNoProfile && (erasedAt !== undefined || staysErased(erasures.data, told));
  const show = (told: Story) => (
    <Stack>
      <Acts
        user={told.user}
        canEraseAgain={canEraseAgain}
        isErased={isErased(told)}
        onDone={(name) => {
          if (name === 'erase') {
            setErasedAt(Date.now());
            setSync(undefined);
          }
          if (name === 'sync') setSync({ at: Date.now(), before: told });
        }}
      />
      {hasOnlyRecords(told) && !canEraseAgain && !isErased(told) && (
        <NoPersonalData story={told} at={story.dataUpdatedAt} />
      )}
      {sync && <Synchronization key={sync.at} request={sync} story={told} toldAt={story.dataUpdatedAt} />}
      <About story={told} toldAt={story.dataUpdatedAt} isErased={isErased(told)} />
    </Stack>
  );
  return (
    <Page title={t.title}>
      <Copyable value={krn} />
      {(erasedAt !== undefined || hasNoProfile) && (
        <Erasures krn={krn} story={story.data} erasedAt={erasedAt} toldAt={story.dataUpdatedAt} />
      )}
      <Loaded query={story} lines={10}>
        {(told) =>
          mayBeUnknown ? (
            <Loaded query={known} lines={10}>
              {(is) => (is || canEraseAgain ? show(told) : <NothingStored story={told} at={known.dataUpdatedAt} />)}
            </Loaded>
          ) : (
            show(told)
          )
        }
      </Loaded>
      <UserTrail krn={krn} />
    </Page>
  );
}

interface AboutProps {
  readonly story: Story;
  readonly toldAt: number;
  readonly isErased: boolean;
}

function About({ story, toldAt, isErased }: AboutProps) {
  const { user } = story;
  return (
    <>
      <PlanSummary subscriptions={user.subscriptions} />
      <Answers story={story} isErased={isErased} />
      <Products story={story} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Account story={story} isErased={isErased} />
        <Vendor story={story} toldAt={toldAt} />
      </SimpleGrid>
      <Plans subscriptions={user.subscriptions} />
    </>
  );
}

function Account({ story, isErased }: Pick<AboutProps, 'story' | 'isErased'>) {
  const { arrayUserId, profile, verification } = story.user;
  const { authenticated, attempts, remainingAttempts, lastAttemptAt } = verification;
  const configured = Object.entries(profile?.configured ?? {}).filter(([, isSet]) => isSet === true);
  const hasChecks = !isErased || attempts > 0;
  // As long as the vendor may know the user, an engineer may need the vendor's id of the user.
  const hasVendorId = profile !== null || story.vendor.isKnown !== false;
  return (
    <Facts
      title={t.account}
      facts={[
        ...(hasChecks
          ? ([
              [t.locked, <Lock key="lock" verification={verification} />],
              [t.authenticated, authenticated ? texts.yes : texts.no],
              [t.attempts, t.attemptsOf(attempts, remainingAttempts)],
              [t.lastAttempt, <Time key="last" value={lastAttemptAt} />],
            ] as const)
          : []),
        [t.profile, profile ? configured.map(([name]) => dataName(name)).join(', ') || texts.none : t.noProfile],
        ...(profile ? ([[t.creditScore, t.creditScores[creditScoreOf(story)]]] as const) : []),
        ...(isErased ? [] : ([[t.version, profile?.version ?? texts.none]] as const)),
        ...(hasVendorId ? ([[t.vendorId, <Copyable key="vendor" value={arrayUserId} />]] as const) : []),
      ]}
    />
  );
}

function Lock({ verification: { lock, lockedUntil } }: { verification: User['verification'] }) {
  if (lock === null) return <Status value="active" text={t.notLocked} />;
  if (lock === 'maximum' || lockedUntil === null) return <Status value="failed" text={t.lockedForGood} />;
  return <Countdown until={lockedUntil} />;
}

/** Returns when the vendor last answered, by the stored data: the time of the last verification, or of the last change of an enrollment. */
function lastAnswerOf({ user }: Story): string | undefined {
  const changes = user.enrollments.flatMap(({ history }) => history.map(({ at }) => at));
  return [user.verification.lastAttemptAt, ...changes]
    .flatMap((at) => at ?? [])
    .sort()
    .at(-1);
}

function Vendor({ story, toldAt }: { story: Story; toldAt: number }) {
  const { vendor, user } = story;
  const known = (value: boolean | null) => (value === null ? t.unknown : value ? texts.yes : texts.no);
  // The vendor lists alerts only for a user whom it knows, so a list of alerts shows that the user is known.
  const isKnown = vendor.isKnown ?? (vendor.hasAlerts === null ? null : true);
  const { reconciliation } = user;
  const hasNotFailed = reconciliation?.failures === 0;
  const hasFailed = vendor.failures.length > 0;
  const contact = (
    <>
      <Time value={new Date(toldAt).toISOString()} />{' '}
      <Status
        value={hasFailed ? 'failed' : 'active'}
        text={hasFailed ? (isKnown === null ? t.contactFailed : t.contactInPart) : t.contactSucceeded}
      />
    </>
  );
  return (
    <Facts
      title={t.vendor}
      facts={[
        [t.lastContact, contact],
        ...(hasFailed
          ? ([
              [t.failures, <VendorFailures key="failures" failures={vendor.failures} />],
              [t.lastAnswer, <Time key="answer" value={lastAnswerOf(story)} />],
            ] as const)
          : []),
        [t.known, known(isKnown)],
        [t.hasAlerts, known(vendor.hasAlerts)],
        ...(reconciliation
          ? ([
              [t.waiting, reconciliationWords(reconciliation.kind)],
              [
                hasNotFailed && isPlannedFor(reconciliation.dueAt, user.subscriptions) ? t.planned : t.due,
                <Time key="due" value={reconciliation.dueAt} />,
              ],
              ...(reconciliation.lastError
                ? ([[t.lastError, <VendorFailures key="error" failures={[reconciliation.lastError]} />]] as const)
                : []),
            ] as const)
          : []),
      ]}
    />
  );
}
