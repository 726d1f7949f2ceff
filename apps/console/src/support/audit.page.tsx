import { Switch, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, supportApi } from '../api/clients';
import { AUDITED } from '../api/query';
import { ChoiceFilter, DayFilter, Filters, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { dayStart, given, useFilters } from '../components/use-filters';
import { useSession } from '../session/session';
import { supportTexts } from '../texts/support';
import { inRows, isRead, readsFilter, TrailList } from './trail';

const t = supportTexts.trail;
type Action = keyof typeof t.actions;

/** Lists the actions of support. */
export default function SupportAuditPage() {
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters([
    'actor',
    'action',
    'from',
    'to',
    'reads',
  ]);
  const session = useSession();
  const own = session.kind === 'staff' ? session.subject : '';
  /** The person by whose id the list is filtered; empty if there is no such filter, or if this person is the signed-in user. */
  const other = values.actor === own ? '' : values.actor;
  const withReads = values.reads !== '' || isRead(values.action);
  const query = useQuery({
    queryKey: ['support-audit', values, cursor],
    queryFn: () => {
      const filters = {
        actor: given(values.actor),
        action: values.action in t.actions ? (values.action as Action) : undefined,
        from: dayStart(values.from),
        to: dayStart(values.to, 1),
        reads: readsFilter(withReads),
      };
      return answerOf(supportApi.GET('/idp/support/audit', { params: { query: { ...filters, cursor, limit: 50 } } }));
    },
    select: inRows,
    placeholderData: keepPreviousData,
    ...AUDITED,
  });
  return (
    <Page title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        <TextFilter label={t.actorFilter} hint={t.actorHint} value={other} onChange={(value) => set('actor', value)} />
        <ChoiceFilter
          label={t.actionFilter}
          value={values.action}
          onChange={(value) => set('action', value)}
          choices={t.actions}
        />
        <DayFilter label={t.from} value={values.from} to={values.to} onChange={(value) => set('from', value)} />
        <DayFilter label={t.to} value={values.to} from={values.from} onChange={(value) => set('to', value)} />
        <Switch
          size="xs"
          label={t.onlyMine}
          checked={values.actor !== '' && other === ''}
          onChange={({ currentTarget }) => set('actor', currentTarget.checked ? own : null)}
        />
        <Switch
          size="xs"
          label={t.showReads}
          checked={withReads}
          disabled={isRead(values.action)}
          onChange={({ currentTarget }) => set('reads', currentTarget.checked ? 'shown' : null)}
        />
      </Filters>
      <TrailList
        label={t.title}
        query={query}
        cursor={cursor}
        goTo={goTo}
        empty={[other === '' ? t.empty : t.emptyOfActor, ...(withReads ? [] : [t.tryReads])].join(' ')}
        filter={(actor) => set('actor', actor)}
        withUser
      />
    </Page>
  );
}
