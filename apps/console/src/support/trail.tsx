import { Code, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, supportApi } from '../api/clients';
import { AUDITED } from '../api/query';
import type { Column } from '../components/data-table';
import { Empty } from '../components/empty';
import { Id } from '../components/id';
import { Link } from '../components/link';
import { List } from '../components/list-page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';

const t = supportTexts.trail;
type Entry = components['schemas']['SupportAuditEntry'];

const COLORS = { started: 'held', succeeded: 'active', refused: 'pending', failed: 'failed' } as const;

const detailsOf = ({ details, error }: Entry): string =>
  [
    ...Object.entries(details).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(error ? [error] : []),
  ].join(' · ');

const Details = ({ text }: { text: string }) =>
  text === '' ? texts.none : <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Code>;

const USER: Column<Entry> = {
  title: t.user,
  cell: ({ krn }) => (krn ? <Link to={`/support/users/${encodeURIComponent(krn)}`}>{krn}</Link> : texts.none),
};

interface TrailListProps {
  readonly label: string;
  readonly query: Parameters<typeof List<Entry>>[0]['query'];
  readonly cursor?: string;
  readonly goTo: (cursor: string | null) => void;
  /** Whether to show the user of each action, which the page of one user does not need. */
  readonly withUser?: boolean;
}

/** Lists actions of support. Their details are names of fields, ids and counts. */
export const TrailList = ({ label, query, cursor, goTo, withUser = false }: TrailListProps) => (
  <List
    label={label}
    query={query}
    idOf={({ id }) => id}
    cursor={cursor}
    goTo={goTo}
    minWidth={760}
    empty={<Empty title={t.emptyTitle}>{withUser && t.empty}</Empty>}
    columns={[
      { title: t.at, cell: ({ startedAt }) => <Time value={startedAt} /> },
      { title: t.actor, cell: ({ actor }) => <Id value={actor} /> },
      { title: t.action, cell: ({ action }) => <Code>{action}</Code> },
      ...(withUser ? [USER] : []),
      { title: t.why, cell: ({ reason }) => reason ?? texts.none },
      { title: t.outcome, cell: ({ outcome }) => <Status value={COLORS[outcome]} text={t.outcomes[outcome]} /> },
      { title: t.details, cell: (entry) => <Details text={detailsOf(entry)} /> },
    ]}
  />
);

/** Lists the actions of support on a user. */
export function UserTrail({ krn }: { krn: string }) {
  const [cursor, setCursor] = useState<string>();
  const query = useQuery({
    queryKey: ['user', krn, 'trail', cursor],
    queryFn: () => {
      const params = { path: { user_id: krn }, query: { cursor, limit: 20 } };
      return answerOf(supportApi.GET('/idp/support/users/{user_id}/audit', { params }));
    },
    placeholderData: keepPreviousData,
    ...AUDITED,
  });
  return (
    <section aria-label={t.ofUser}>
      <Title order={2} mb="xs">
        {t.ofUser}
      </Title>
      <TrailList label={t.of} query={query} cursor={cursor} goTo={(to) => setCursor(to ?? undefined)} />
    </section>
  );
}
