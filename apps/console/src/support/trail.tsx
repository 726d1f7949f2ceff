import { Box, Switch, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, supportApi } from '../api/clients';
import { AUDITED } from '../api/query';
import { AuditValue } from '../components/audit-value';
import type { Column } from '../components/data-table';
import { Empty } from '../components/empty';
import { Link } from '../components/link';
import { List } from '../components/list-page';
import { Person } from '../components/person';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { detailWords, errorWords } from './words';

const t = supportTexts.trail;
type Entry = components['schemas']['SupportAuditEntry'];
type Page = components['schemas']['SupportAuditPage'];

const READS: readonly Entry['action'][] = ['user.read', 'user.search', 'audit.read'];

/** The time for which an entry without an outcome is shown as running. If the entry is older, the process probably ended during the action. */
const RUNNING_MS = 60_000;

export const isRead = (action: string): boolean => READS.some((read) => read === action);

/** Returns the value of the API's filter `reads`. The value `false` makes the API leave out entries about reads. */
export const readsFilter = (withReads: boolean): 'false' | undefined => (withReads ? undefined : 'false');

const COLORS = { started: 'held', succeeded: 'active', refused: 'pending', failed: 'failed' } as const;

/** The failures of a change of personal data after which the stored data is certainly unchanged. */
const UNCHANGED = ['vendor_failed', 'vendor_timeout', 'user_busy'];

const leavesDataUnchanged = ({ action, outcome, error }: Entry): boolean =>
  action === 'user.update' && outcome === 'failed' && error !== null && UNCHANGED.includes(error);

function Outcome({ entry, toldAt }: { entry: Entry; toldAt: number }) {
  const { outcome, startedAt } = entry;
  if (outcome === 'started' && toldAt - Date.parse(startedAt) < RUNNING_MS) {
    return <Status value="ended" text={t.running} />;
  }
  return <Status value={COLORS[outcome]} text={outcomeOf(entry)} />;
}

/** The actions that only begin something at the vendor, whose result the page shows elsewhere. */
const BEGINS: readonly Entry['action'][] = ['user.sync', 'user.delete'];

function outcomeOf(entry: Entry): string {
  if (leavesDataUnchanged(entry)) return t.unchanged;
  return entry.outcome === 'succeeded' && BEGINS.includes(entry.action) ? t.accepted : t.outcomes[entry.outcome];
}

/** An entry of the list. It may stand for several reads of a user that differ only in their time. */
interface Row extends Entry {
  readonly times: number;
  /** When the last of the combined reads began. */
  readonly lastAt: string;
}

interface Rows extends Omit<Page, 'items'> {
  readonly items: readonly Row[];
}

/**
 * Combines consecutive equal reads of a user into one row, because a page that waits for something reads the user repeatedly. Searches and reads of
 * the audit trail are not combined, because the list does not show how they differ.
 */
export function inRows({ items, ...page }: Page): Rows {
  const rows: Row[] = [];
  for (const entry of items) {
    const row = rows.at(-1);
    const isRepeated = row && entry.action === 'user.read' && valuesOf(row) === valuesOf(entry);
    if (isRepeated) rows[rows.length - 1] = { ...row, startedAt: entry.startedAt, times: row.times + 1 };
    else rows.push({ ...entry, times: 1, lastAt: entry.startedAt });
  }
  return { ...page, items: rows };
}

/** Returns everything that the list shows about an entry, except its time. */
const valuesOf = ({ actor, action, krn, reason, outcome, error, details }: Entry): string =>
  JSON.stringify([actor, action, krn, reason, outcome, error, shownDetails(details)]);

/** The details that only engineers need. They are not shown, because engineers find them in the API's audit trail. */
const FOR_ENGINEERS = ['eventId', 'filters', 'story'];

const shownDetails = (details: Entry['details']) =>
  Object.entries(details).filter(([name]) => !FOR_ENGINEERS.includes(name));

function Details({ entry: { details, error, outcome } }: { entry: Entry }) {
  const shown = shownDetails(details);
  const nameOf = (name: string) => detailWords(name === 'fields' && outcome !== 'succeeded' ? 'notChanged' : name);
  if (shown.length === 0 && !error) return texts.none;
  return (
    <>
      {shown.map(([name, value]) => (
        <Box key={name} style={{ overflowWrap: 'anywhere' }}>
          {nameOf(name)}: <AuditValue value={value} nameOf={detailWords} inWords={detailWords} />
        </Box>
      ))}
      {error && (
        <Box style={{ overflowWrap: 'anywhere' }}>
          {t.error}: {errorWords(error)}
        </Box>
      )}
    </>
  );
}

const Action = ({ entry: { action, times, lastAt } }: { entry: Row }) => (
  <>
    {t.actions[action]}
    {times > 1 && (
      <>
        {t.times(times)} <Time value={lastAt} />
      </>
    )}
  </>
);

const USER: Column<Row> = {
  title: t.user,
  cell: ({ krn }) => (krn ? <Link to={`/support/users/${encodeURIComponent(krn)}`}>{krn}</Link> : texts.none),
};

interface TrailListProps {
  readonly label: string;
  readonly query: UseQueryResult<Rows>;
  readonly cursor?: string;
  readonly goTo: (cursor: string | null) => void;
  /** What the list says if it is empty. */
  readonly empty?: string;
  /** Lists only the actions of a person. Called when the user presses the person in the list. */
  readonly filter?: (actor: string) => void;
  /** Whether to show the user of each action. The page of a single user does not need this. */
  readonly withUser?: boolean;
}

/** Lists actions of support. Their details contain no personal data. */
export const TrailList = ({ label, query, cursor, goTo, empty, filter, withUser = false }: TrailListProps) => (
  <List
    label={label}
    query={query}
    idOf={({ id }) => id}
    cursor={cursor}
    goTo={goTo}
    minWidth={760}
    empty={<Empty title={t.emptyTitle}>{empty}</Empty>}
    columns={[
      { title: t.at, cell: ({ startedAt }) => <Time value={startedAt} /> },
      { title: t.actor, cell: ({ actor }) => <Person subject={actor} filter={filter} /> },
      { title: t.action, cell: (entry) => <Action entry={entry} /> },
      ...(withUser ? [USER] : []),
      { title: t.why, cell: ({ reason }) => reason ?? texts.none },
      { title: t.outcome, cell: (entry) => <Outcome entry={entry} toldAt={query.dataUpdatedAt} /> },
      { title: t.details, cell: (entry) => <Details entry={entry} /> },
    ]}
  />
);

/** How many entries of a user's trail are loaded if reads are shown: enough that some remain after the reads of the trail itself are left out. */
const LIMIT = 100;

/** Leaves out the reads of the trail and of the receipts, which opening the page of the user adds each time. */
const withoutTrailReads = ({ items, ...page }: Page): Rows =>
  inRows({ ...page, items: items.filter(({ action }) => action !== 'audit.read') });

/** Lists the actions of support on a user. */
export function UserTrail({ krn }: { krn: string }) {
  const [cursor, setCursor] = useState<string>();
  const [withReads, setWithReads] = useState(false);
  const query = useQuery({
    queryKey: ['user', krn, 'trail', withReads, cursor],
    queryFn: () => {
      const params = {
        path: { user_id: krn },
        query: { reads: readsFilter(withReads), cursor, limit: withReads ? LIMIT : 20 },
      };
      return answerOf(supportApi.GET('/idp/support/users/{user_id}/audit', { params }));
    },
    select: withoutTrailReads,
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
      {withReads && (
        <Text size="xs" c="dimmed" mb="xs">
          {t.leftOut}
        </Text>
      )}
      <TrailList
        label={t.of}
        query={query}
        empty={withReads ? undefined : `${t.emptyOfUser} ${t.turnOnReads}`}
        cursor={cursor}
        goTo={(to) => setCursor(to ?? undefined)}
      />
    </section>
  );
}
