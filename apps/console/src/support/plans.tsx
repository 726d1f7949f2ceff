import { Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from '../components/data-table';
import { Id } from '../components/id';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { entitlementName, eventWords } from './words';

const t = supportTexts.user;
type Subscription = components['schemas']['IdentitySubscription'];

/** Names the entitlements of a plan. Null means that an event has no plan. */
const namesOf = (entitlements: readonly string[] | null): string =>
  entitlements === null ? texts.none : entitlements.map(entitlementName).join(', ') || t.noIdentity;

/** Returns the time of the captured purchase of a subscription; if there is no captured purchase, the time of the first event. */
const paidSince = ({ events }: Subscription): string | undefined =>
  (events.find(({ type, paymentStatus }) => type === 'purchased' && paymentStatus === 'captured') ?? events[0])
    ?.occurredAt;

/** Returns whether a change of a plan, or the end of a subscription, is planned for a time. */
export const isPlannedFor = (time: string, subscriptions: readonly Subscription[]): boolean =>
  subscriptions
    .flatMap(({ endsAt, plannedChange }) => [endsAt, plannedChange?.at])
    .some((at) => at != null && isAt(at, time));

const isAt = (at: string, time: string): boolean => Date.parse(at) === Date.parse(time);

/** The types of events by which the customer got the money back. */
const PAID_BACK = ['refunded', 'charged_back'];

/** Returns the state of a subscription in words, and when it ended. If the customer got the money back, returns how and when this happened. */
function stateOf({ state, endsAt, events }: Subscription): { words: string; at: string | null } {
  if (state !== 'ended' || endsAt === null) return { words: t.states[state], at: null };
  const paidBack = events.filter(({ type }) => PAID_BACK.includes(type));
  const end = paidBack.find((event) => isAt(event.effectiveAt ?? event.occurredAt, endsAt));
  if (end) return { words: eventWords(end.type), at: endsAt };
  // The subscription may have ended for another reason before the customer got the money back. A refund or chargeback from before the end belongs
  // to an earlier term.
  const later = paidBack.find(({ occurredAt }) => Date.parse(occurredAt) > Date.parse(endsAt));
  return later ? { words: eventWords(later.type), at: later.occurredAt } : { words: t.states.ended, at: endsAt };
}

/** States which protection is paid for, since when and until when. */
export function PlanSummary({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const live = subscriptions.filter(({ state }) => state === 'live');
  const others = subscriptions.filter(({ state }) => state !== 'live');
  return (
    <Paper withBorder p="md">
      <Title order={2} mb={4}>
        {t.paidFor}
      </Title>
      {live.length === 0 && <Line>{t.nothingPaid}</Line>}
      {live.map((subscription) => (
        <Line key={subscription.id}>
          {namesOf(subscription.entitlements)}: {t.paidSince} <Time value={paidSince(subscription)} />
          {', '}
          {subscription.endsAt ? (
            <>
              {t.until} <Time value={subscription.endsAt} />
            </>
          ) : (
            t.noEnd
          )}
          {t.subscriptionId(subscription.id)}
          <PlannedChange change={subscription.plannedChange} />
        </Line>
      ))}
      {others.map((subscription) => (
        <NotLive key={subscription.id} subscription={subscription} />
      ))}
    </Paper>
  );
}

function NotLive({ subscription }: { subscription: Subscription }) {
  const { words, at } = stateOf(subscription);
  return (
    <Line>
      {t.subscriptionIs(subscription.id, words)} {at && <Time value={at} />}
    </Line>
  );
}

const PlannedChange = ({ change }: { change: Subscription['plannedChange'] }) =>
  change && (
    <>
      {' '}
      {t.planFrom} <Time value={change.at} />: {namesOf(change.entitlements)}.
    </>
  );

const Line = ({ children }: { children: ReactNode }) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    {children}
  </Text>
);

/** Lists what billing reported about the subscriptions of a user, newest first. */
export function Plans({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const events = subscriptions
    .flatMap((subscription) => {
      const { id, state, endsAt } = subscription;
      const { words } = stateOf(subscription);
      return subscription.events.map((event) => ({ ...event, id, state, words, endsAt }));
    })
    .sort((one, other) => Date.parse(other.occurredAt) - Date.parse(one.occurredAt));
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
          minWidth={860}
          columns={[
            { title: t.at, cell: ({ occurredAt }) => <Time value={occurredAt} /> },
            { title: t.event, cell: ({ type }) => eventWords(type) },
            { title: t.plan, cell: ({ id }) => <Id value={id} /> },
            {
              title: t.state,
              cell: ({ state, words }) => <Status value={state === 'live' ? 'active' : 'ended'} text={words} />,
            },
            { title: t.entitlements, cell: ({ entitlements }) => namesOf(entitlements) },
            { title: t.effective, cell: ({ effectiveAt }) => <Time value={effectiveAt} /> },
            { title: t.ends, cell: ({ endsAt }) => <Time value={endsAt} /> },
          ]}
        />
      )}
    </section>
  );
}
