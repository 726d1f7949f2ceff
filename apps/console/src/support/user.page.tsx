import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { answerOf, supportApi } from '../api/clients';
import { toApiError } from '../api/problem';
import { AUDITED } from '../api/query';
import { Copyable } from '../components/copyable';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Facts } from '../components/facts';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { Sentence } from '../components/sentence';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { Acts } from './acts';
import { Countdown } from './countdown';
import { Erasures } from './erasures';
import { UserTrail } from './trail';

const t = supportTexts.user;
type Story = components['schemas']['UserStory'];
type User = components['schemas']['IdentityUser'];

/** A user's account for support: first the answers, then the facts behind them. No personal data. */
export default function UserPage() {
  const { krn = '' } = useParams();
  const [isErased, setErased] = useState(false);
  const story = useQuery({
    queryKey: ['user', krn, 'story'],
    queryFn: () =>
      answerOf(supportApi.GET('/idp/support/users/{user_id}/story', { params: { path: { user_id: krn } } })),
    ...AUDITED,
  });
  const isUnknown = story.data === undefined && story.error !== null && toApiError(story.error).status === 404;
  return (
    <Page title={t.title}>
      <Copyable value={krn} />
      <Acts krn={krn} onErased={() => setErased(true)} />
      {(isErased || story.data?.user.profile === null) && <Erasures krn={krn} />}
      {isUnknown ? (
        <Empty title={t.notFound} />
      ) : (
        <Loaded query={story} lines={10}>
          {(told) => (
            <Stack>
              <SimpleGrid cols={{ base: 1, md: 3 }}>
                {(Object.keys(t.answers) as (keyof typeof t.answers)[]).map((name) => (
                  <Paper key={name} withBorder p="md">
                    <Title order={2}>{t.answers[name]}</Title>
                    <Text size="sm">
                      <Sentence>{told[name].reason}</Sentence>
                    </Text>
                  </Paper>
                ))}
              </SimpleGrid>
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                <Account user={told.user} />
                <Vendor story={told} toldAt={story.dataUpdatedAt} />
              </SimpleGrid>
              <Enrollments enrollments={told.user.enrollments} />
              <Plans subscriptions={told.user.subscriptions} />
            </Stack>
          )}
        </Loaded>
      )}
      <UserTrail krn={krn} />
    </Page>
  );
}

function Account({ user: { arrayUserId, profile, verification } }: { user: User }) {
  const { authenticated, attempts, remainingAttempts, lastAttemptAt } = verification;
  const configured = Object.entries(profile?.configured ?? {}).filter(([, isSet]) => isSet === true);
  return (
    <Facts
      title={t.account}
      facts={[
        [t.locked, <Lock key="lock" verification={verification} />],
        [t.authenticated, authenticated ? texts.yes : texts.no],
        [t.attempts, t.attemptsOf(attempts, remainingAttempts)],
        [t.lastAttempt, <Time key="last" value={lastAttemptAt} withUtc />],
        [t.profile, profile ? configured.map(([name]) => name).join(', ') || texts.none : t.noProfile],
        [t.version, profile?.version ?? texts.none],
        [t.vendorId, <Copyable key="vendor" value={arrayUserId} />],
      ]}
    />
  );
}

function Lock({ verification: { lock, lockedUntil } }: { verification: User['verification'] }) {
  if (lock === null) return <Status value="active" text={t.notLocked} />;
  if (lock === 'maximum' || lockedUntil === null) return <Status value="failed" text={t.lockedForGood} />;
  return <Countdown until={lockedUntil} />;
}

/** Returns when the vendor last answered about the user: just now with the story, or else at the last verification or change of an enrollment. */
function lastContactOf({ vendor, user }: Story, toldAt: number): string | undefined {
  if (vendor.failures.length === 0) return new Date(toldAt).toISOString();
  const changes = user.enrollments.flatMap(({ history }) => history.map(({ at }) => at));
  return [user.verification.lastAttemptAt, ...changes]
    .flatMap((at) => at ?? [])
    .sort()
    .at(-1);
}

function Vendor({ story, toldAt }: { story: Story; toldAt: number }) {
  const { vendor, user } = story;
  const known = (value: boolean | null) => (value === null ? t.unknown : value ? texts.yes : texts.no);
  const { reconciliation } = user;
  return (
    <Facts
      title={t.vendor}
      facts={[
        [t.lastContact, <Time key="contact" value={lastContactOf(story, toldAt)} withUtc />],
        [t.known, known(vendor.isKnown)],
        [t.enrolled, vendor.enrolledCodes?.map(String).join(', ') || (vendor.enrolledCodes ? texts.none : t.unknown)],
        [t.hasAlerts, known(vendor.hasAlerts)],
        [t.failures, vendor.failures.join(' · ') || texts.none],
        ...(reconciliation
          ? ([
              [t.waiting, reconciliation.kind],
              [t.due, <Time key="due" value={reconciliation.dueAt} withUtc />],
              [t.lastError, reconciliation.lastError ?? texts.none],
            ] as const)
          : []),
      ]}
    />
  );
}

function Enrollments({ enrollments }: { enrollments: User['enrollments'] }) {
  return (
    <section aria-label={t.enrollments}>
      <Title order={2} mb="xs">
        {t.enrollments}
      </Title>
      {enrollments.length === 0 ? (
        <Text size="sm">{t.noEnrollments}</Text>
      ) : (
        <DataTable
          label={t.enrollments}
          rows={enrollments}
          idOf={({ code }) => code}
          columns={[
            { title: t.code, cell: ({ code }) => code },
            { title: t.wanted, cell: ({ wanted }) => (wanted ? texts.yes : texts.no) },
            {
              title: t.active,
              cell: ({ active, wanted }) => (
                <Status value={active === wanted ? 'active' : 'pending'} text={active ? texts.yes : texts.no} />
              ),
            },
            { title: t.why, cell: ({ reason }) => reason },
            { title: t.since, cell: ({ activatedAt }) => <Time value={activatedAt} /> },
          ]}
        />
      )}
    </section>
  );
}

function Plans({ subscriptions }: { subscriptions: User['subscriptions'] }) {
  const events = subscriptions.flatMap(({ id, state, endsAt, events: history }) =>
    history.map((event) => ({ ...event, id, state, endsAt })),
  );
  return (
    <section aria-label={t.plans}>
      <Title order={2} mb="xs">
        {t.plans}
      </Title>
      {events.length === 0 ? (
        <Text size="sm">{t.noPlans}</Text>
      ) : (
        <DataTable
          label={t.plans}
          rows={events}
          idOf={({ id, type, occurredAt }) => `${id} ${type} ${occurredAt}`}
          minWidth={760}
          columns={[
            { title: t.at, cell: ({ occurredAt }) => <Time value={occurredAt} /> },
            { title: t.event, cell: ({ type }) => type },
            { title: t.plan, cell: ({ id }) => id },
            {
              title: t.state,
              cell: ({ state }) => <Status value={state === 'live' ? 'active' : 'ended'} text={t.states[state]} />,
            },
            { title: t.entitlements, cell: ({ entitlements }) => entitlements?.map(String).join(', ') || texts.none },
            { title: t.ends, cell: ({ endsAt }) => <Time value={endsAt} /> },
          ]}
        />
      )}
    </section>
  );
}
