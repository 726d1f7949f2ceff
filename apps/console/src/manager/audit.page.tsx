import { Switch } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { DayFilter, Filters, SearchFilter, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { dayStart, given, useFilters } from '../components/use-filters';
import { useSession } from '../session/session';
import { auditTexts as t } from '../texts/audit';
import { AuditList } from './audit-list';
import { PartnerFilter } from './partner-filter';

const FILTERS = ['actor', 'action', 'partnerId', 'entityId', 'from', 'to'] as const;
const ACTIONS = Object.fromEntries(t.actions.map((action) => [action, t.filterNames[action] ?? t.actionName(action)]));

/** The audit trail of the actions of managers and partners. */
export default function AuditPage() {
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(FILTERS);
  const session = useSession();
  const query = useQuery({
    queryKey: ['audit', values, cursor],
    queryFn: () => {
      const filters = {
        actor: given(values.actor),
        action: given(values.action),
        // The API does not accept `partnerId` together with `entityId`.
        ...(values.partnerId ? { partnerId: values.partnerId } : { entityId: given(values.entityId) }),
        from: dayStart(values.from),
        to: dayStart(values.to, 1),
      };
      return answerOf(managerApi.GET('/admin/audit', { params: { query: { ...filters, cursor, limit: 50 } } }));
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t.title}>
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        <TextFilter label={t.actorFilter} value={values.actor} onChange={(value) => set('actor', value)} />
        <SearchFilter
          label={t.actionFilter}
          value={values.action}
          onChange={(value) => set('action', value)}
          choices={ACTIONS}
        />
        <PartnerFilter label={t.partnerFilter} value={values.partnerId} onChange={(value) => set('partnerId', value)} />
        {!values.partnerId && (
          <TextFilter label={t.entityFilter} value={values.entityId} onChange={(value) => set('entityId', value)} />
        )}
        <DayFilter label={t.from} value={values.from} to={values.to} onChange={(value) => set('from', value)} />
        <DayFilter label={t.to} value={values.to} from={values.from} onChange={(value) => set('to', value)} />
        {session.kind === 'staff' && (
          <Switch
            size="xs"
            label={t.onlyMine}
            checked={values.actor === session.subject}
            onChange={({ currentTarget }) => set('actor', currentTarget.checked ? session.subject : null)}
          />
        )}
      </Filters>
      <AuditList
        query={query}
        cursor={cursor}
        goTo={goTo}
        isPartial={values.actor !== '' || values.action !== ''}
        filter={{ actor: values.actor, set: (actor) => set('actor', actor) }}
      />
    </Page>
  );
}
