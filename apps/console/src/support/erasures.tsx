import { Group, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, supportApi } from '../api/clients';
import { AUDITED } from '../api/query';
import { Copyable } from '../components/copyable';
import { DataTable } from '../components/data-table';
import { Loaded } from '../components/loaded';
import { Person } from '../components/person';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { LATE_MS, nextRefresh } from './refresh';
import { utcTime } from './words';

const t = supportTexts.erasures;

export const erasuresOf = (krn: string) =>
  queryOptions({
    queryKey: ['user', krn, 'erasures'],
    queryFn: () =>
      answerOf(supportApi.GET('/idp/support/users/{user_id}/erasures', { params: { path: { user_id: krn } } })),
    ...AUDITED,
  });

/** Returns whether an erasure by support has succeeded. */
export const hasErased = (erasures: components['schemas']['SupportErasures'] | undefined): boolean =>
  erasures?.items.some(({ outcome }) => outcome === 'succeeded') ?? false;

/** Returns whether it is unknown if the last erasure took effect. Only a further erasure shows whether it did, and creates the receipt. */
export const isUnanswered = (erasures: components['schemas']['SupportErasures'] | undefined): boolean =>
  isUnknown(erasures?.items[0]?.outcome);

const isUnknown = (outcome: components['schemas']['SupportErasure']['outcome'] | undefined): boolean =>
  outcome === 'started' || outcome === 'failed';

/** Returns whether support has erased a user, and billing has reported nothing about the user since: the user has not come back. */
export function staysErased(erasures: components['schemas']['SupportErasures'] | undefined, story: Story): boolean {
  const erasedAt = Math.max(...(erasures?.items ?? []).map(({ erased_at: at }) => (at === null ? 0 : Date.parse(at))));
  const events = story.user.subscriptions.flatMap((subscription) => subscription.events);
  return hasErased(erasures) && events.every(({ occurredAt }) => Date.parse(occurredAt) <= erasedAt);
}

type Story = components['schemas']['UserStory'];

const COLORS = { pending: 'pending', done: 'active', unknown: 'held' } as const;

/**
 * Returns whether the vendor has deleted a user whom the platform has erased: `pending` if not yet, `unknown` if the vendor did not answer.
 */
function vendorStateOf({ user, vendor }: Story): keyof typeof COLORS {
  if (user.reconciliation?.kind === 'removal' || vendor.isKnown) return 'pending';
  return vendor.isKnown === null ? 'unknown' : 'done';
}

interface Times {
  readonly openedAt: number;
  /** When the user was erased on this page, Unix ms; undefined if this did not happen. */
  readonly erasedAt: number | undefined;
}

/**
 * Returns the time until the next refresh of the page, in ms; false if the vendor has deleted the user, or after two minutes. Each refresh is
 * audited. If the user was not erased on this page, the page therefore refreshes only while the vendor's deletion is certainly pending.
 */
export function refreshAfterErasure({ openedAt, erasedAt }: Times, story: Story | undefined, toldAt: number) {
  const since = erasedAt ?? openedAt;
  const state = story && vendorStateOf(story);
  const isAwaited = erasedAt === undefined ? story?.user.profile === null && state === 'pending' : state !== 'done';
  return isAwaited && nextRefresh(since, toldAt);
}

/** Shows whether the vendor has deleted the user. The platform deletes its own data first. */
function AtVendor({ state, isLate }: { state: keyof typeof COLORS; isLate: boolean }) {
  return (
    <Group gap="xs" mb="xs" role="status">
      <Status value={COLORS[state]} text={t.atVendor[state]} />
      <Text size="sm">
        {t.atVendorHints[state]} {isLate && state !== 'done' && t.late}
      </Text>
    </Group>
  );
}

interface ErasuresProps {
  readonly krn: string;
  readonly story: Story | undefined;
  /** When the user was erased on this page, Unix ms; undefined if this did not happen. */
  readonly erasedAt: number | undefined;
  /** When the story was loaded, Unix ms. */
  readonly toldAt: number;
}

/** Lists the erasures of a user that support has requested, each with its receipt if it succeeded. Shows nothing if there are none. */
export function Erasures({ krn, story, erasedAt, toldAt }: ErasuresProps) {
  const query = useQuery(erasuresOf(krn));
  // If the user has a profile again, the receipt states only the past erasure, and nothing about the vendor's current state.
  const atVendor = story?.user.profile === null ? vendorStateOf(story) : undefined;
  const hasRecords = (story?.user.subscriptions.length ?? 0) > 0;
  const receiptOf = (at: string, requestId: string): string =>
    [
      t.receipt(krn, utcTime(at), requestId),
      ...(atVendor ? [t.receiptAtVendor[atVendor]] : []),
      ...(hasRecords ? [supportTexts.acts.recordsKept] : []),
    ].join(' ');
  return (
    <Loaded query={query} lines={1}>
      {(erasures) =>
        erasures.items.length > 0 && (
          <section aria-label={t.title}>
            <Title order={2} mb="xs">
              {t.title}
            </Title>
            {atVendor && hasErased(erasures) && (
              <AtVendor state={atVendor} isLate={erasedAt !== undefined && toldAt - erasedAt >= LATE_MS} />
            )}
            <DataTable
              label={t.title}
              rows={erasures.items}
              idOf={({ request_id: id, requested_at: at }) => `${id} ${at}`}
              columns={[
                { title: supportTexts.trail.at, cell: ({ requested_at: at }) => <Time value={at} withUtc /> },
                { title: supportTexts.trail.actor, cell: ({ actor }) => <Person subject={actor} /> },
                { title: supportTexts.trail.why, cell: ({ reason }) => reason ?? texts.none },
                {
                  title: t.text,
                  cell: ({ erased_at: at, request_id: id, outcome }) =>
                    at ? <Copyable value={receiptOf(at, id)} /> : isUnknown(outcome) ? t.unknown : t.notErased,
                },
              ]}
            />
          </section>
        )
      }
    </Loaded>
  );
}
