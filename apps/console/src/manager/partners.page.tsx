import { Button, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { Empty, NoMatch } from '../components/empty';
import { Link } from '../components/link';
import { ChoiceFilter, Filters, List, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import { given, useFilters } from '../components/use-filters';
import { texts } from '../texts/common';
import { partnersTexts as t } from '../texts/partners';
import { AddPartner } from './add-partner';

const TOKEN = /ptk_(?:live|test)_[0-9A-Za-z]+/;

/** Returns the search text for the URL, which must not contain a token: a whole token is replaced by its last 4 characters, which find it too. */
const withoutToken = (text: string): string => TOKEN.exec(text)?.[0].slice(-4) ?? text;

/** All partners, newest first. */
export default function PartnersPage() {
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(['search', 'kind', 'active']);
  const [adding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['partners', values, cursor],
    queryFn: () => {
      const filters = {
        search: given(values.search),
        kind: given(values.kind) as 'promotion' | 'voucher' | undefined,
        active: given(values.active) as 'true' | 'false' | undefined,
      };
      return answerOf(managerApi.GET('/admin/partners', { params: { query: { ...filters, cursor, limit: 50 } } }));
    },
    placeholderData: keepPreviousData,
  });
  const add = <Button onClick={() => setAdding(true)}>{t.add}</Button>;
  return (
    <Page title={t.title} actions={add}>
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        <TextFilter
          label={t.search}
          value={values.search}
          onChange={(value) => set('search', value && withoutToken(value))}
          w={280}
        />
        <ChoiceFilter
          label={t.kind}
          value={values.kind}
          onChange={(value) => set('kind', value)}
          choices={texts.kinds}
        />
        <ChoiceFilter
          label={t.active}
          value={values.active}
          onChange={(value) => set('active', value)}
          choices={{ true: texts.yes, false: texts.no }}
        />
      </Filters>
      <List
        label={t.title}
        query={query}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        empty={
          isFiltered ? (
            <NoMatch title={t.noMatchTitle} clear={clear} />
          ) : (
            <Empty title={t.emptyTitle} action={add}>
              {t.empty}
            </Empty>
          )
        }
        columns={[
          { title: t.name, cell: ({ id, name }) => <Link to={`/partners/${id}`}>{name}</Link> },
          { title: t.kind, cell: ({ kind }) => texts.kinds[kind] },
          {
            title: t.active,
            cell: ({ active }) => <Status value={active ? 'active' : 'ended'} text={active ? t.active : t.inactive} />,
          },
          { title: t.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
          {
            title: t.id,
            cell: ({ id }) => (
              <Text size="xs" ff="monospace">
                {id}
              </Text>
            ),
          },
        ]}
      />
      {adding && <AddPartner onClose={() => setAdding(false)} />}
    </Page>
  );
}
