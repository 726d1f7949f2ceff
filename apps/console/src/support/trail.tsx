import { Box, Switch, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, supportApi } from '../api/clients';
import { AUDITED } from '../api/query';
import { AuditValue } from '../components/audit-value';
import type { Column } from '../components/data-table';
import { Empty } from '../components/empty';
import { Who } from '../components/id';
import { Link } from '../components/link';
import { List } from '../components/list-page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { detailWords } from './words';

const t = supportTexts.trail;
type Entry = components['schemas']['SupportAuditEntry'];
type Page = components['schemas']['SupportAuditPage'];

const READS: readonly Entry['action'][] = ['user.read', 'user.search', 'audit.read'];

/** The time for which an entry without an outcome is shown as running. After that, the process probably ended during the action. */
const RUNNING_MS = 60_000;

/** The size of a page when reads are hidden. It is large because most entries are reads. */
export const LIMIT_WITHOUT_READS = 200;

export const isRead = (action: string): boolean => READS.some((read) => read === action);

/** Removes the reads from a page and counts them. The API has no filter for this. */
export function withoutReads(page: Page): Page & { hidden: number } {
  const items = page.items.filter(({ action }) => !isRead(action));
  return { ...page, items, hidden: page.items.length - items.length };
}

const COLORS = { started: 'held', succeeded: 'active', refused: 'pending', failed: 'failed' } as const;

const Outcome = ({ entry: { outcome, startedAt }, toldAt }: { entry: Entry; toldAt: number }) =>
  outcome === 'started' && toldAt - Date.parse(startedAt) < RUNNING_MS ? (
    <Status value="ended" text={t.running} />
  ) : (
    <Status value={COLORS[outcome]} text={t.outcomes[outcome]} />
  );

function Details({ entry: { details, error } }: { entry: Entry }) {
  // The id of the event is for engineers, who find it in the API's audit trail.
  const shown = Object.entries(details).filter(([name]) => name !== 'eventId');
  if (shown.length === 0 && !error) return texts.none;
  return (
    <>
      {shown.map(([name, value]) => (
        <Box key={name} style={{ overflowWrap: 'anywhere' }}>
          {detailWords(name)}: <AuditValue value={value} nameOf={detailWords} inWords={detailWords} />
        </Box>
      ))}
      {error && (
        <Box style={{ overflowWrap: 'anywhere' }}>
          {t.error}: {error.replaceAll('_', ' ')}
        </Box>
      )}
    </>
  );
}

const USER: Column<Entry> = {
  title: t.user,
  cell: ({ krn }) => (krn ? <Link to={`/support/users/${encodeURIComponent(krn)}`}>{krn}</Link> : texts.none),
};

interface TrailListProps {
  readonly label: string;
  readonly query: UseQueryResult<Page & { hidden: number }>;
  readonly cursor?: string;
  readonly goTo: (cursor: string | null) => void;
  /** The filter of the list by the person who acted. A press on a subject sets it. */
  readonly filter?: { readonly actor: string; readonly set: (actor: string) => void };
  /** Whether to show the user of each action. The page of a single user does not need this. */
  readonly withUser?: boolean;
}

/** Lists actions of support. Their details contain no personal data. */
export const TrailList = ({ label, query, cursor, goTo, filter, withUser = false }: TrailListProps) => (
  <>
    {query.data && query.data.hidden > 0 && (
      <Text size="xs" c="dimmed" mb={4}>
        {t.hidden(query.data.hidden)}
      </Text>
    )}
    <List
      label={label}
      query={query}
      idOf={({ id }) => id}
      cursor={cursor}
      goTo={goTo}
      minWidth={760}
      empty={<Empty title={t.emptyTitle}>{filter?.actor ? t.emptyOfActor : withUser && t.empty}</Empty>}
      columns={[
        { title: t.at, cell: ({ startedAt }) => <Time value={startedAt} /> },
        { title: t.actor, cell: ({ actor }) => <Who subject={actor} filter={filter?.set} /> },
        { title: t.action, cell: ({ action }) => t.actions[action] },
        ...(withUser ? [USER] : []),
        { title: t.why, cell: ({ reason }) => reason ?? texts.none },
        { title: t.outcome, cell: (entry) => <Outcome entry={entry} toldAt={query.dataUpdatedAt} /> },
        { title: t.details, cell: (entry) => <Details entry={entry} /> },
      ]}
    />
  </>
);

/** Lists the actions of support on a user. */
export function UserTrail({ krn }: { krn: string }) {
  const [cursor, setCursor] = useState<string>();
  const [withReads, setWithReads] = useState(false);
  const query = useQuery({
    queryKey: ['user', krn, 'trail', withReads, cursor],
    queryFn: () => {
      const params = { path: { user_id: krn }, query: { cursor, limit: withReads ? 20 : LIMIT_WITHOUT_READS } };
      return answerOf(supportApi.GET('/idp/support/users/{user_id}/audit', { params }));
    },
    select: (page) => (withReads ? { ...page, hidden: 0 } : withoutReads(page)),
    placeholderData: keepPreviousData,
    ...AUDITED,
  });
  return (
    <section aria-label={t.ofUser}>
      <Title order={2} mb="xs">
        {t.ofUser}
      </Title>
      <Switch
        size="xs"
        mb="xs"
        label={t.showReads}
        checked={withReads}
        onChange={({ currentTarget }) => {
          setCursor(undefined);
          setWithReads(currentTarget.checked);
        }}
      />
      <TrailList label={t.of} query={query} cursor={cursor} goTo={(to) => setCursor(to ?? undefined)} />
    </section>
  );
}
