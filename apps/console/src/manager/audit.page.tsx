import { Button, Code, Group, Modal, Stack, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { Copyable } from '../components/copyable';
import { Empty } from '../components/empty';
import { Id } from '../components/id';
import { DayFilter, Filters, List, SearchFilter, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { dayStart, given, useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';
import { PartnerFilter } from './partner-filter';

const t = managerTexts.audit;
const FILTERS = ['actor', 'action', 'partnerId', 'entityId', 'from', 'to'] as const;
const ACTIONS = Object.fromEntries(t.actions.map((action) => [action, t.actionName(action)]));
type Entry = components['schemas']['AuditEntry'];

/** The audit trail of the actions of managers and partners. */
export default function AuditPage() {
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(FILTERS);
  const query = useQuery({
    queryKey: ['audit', values, cursor],
    queryFn: () => {
      const filters = {
        actor: given(values.actor),
        action: given(values.action),
        // The API accepts only one of the two.
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
      </Filters>
      <AuditList query={query} cursor={cursor} goTo={goTo} />
    </Page>
  );
}

interface AuditListProps {
  readonly query: Parameters<typeof List<Entry>>[0]['query'];
  readonly cursor?: string;
  readonly goTo?: (cursor: string | null) => void;
}

/** Whether a partner saved its endpoint. Such an entry has no values from before, because another app stores them. */
const isSaveOfEndpoint = ({ action }: Entry): boolean => action.startsWith('postback.save');

/** Lists actions of managers and partners, with what each changed. */
export function AuditList({ query, cursor, goTo }: AuditListProps) {
  const [shown, setShown] = useState<Entry | null>(null);
  return (
    <>
      <List
        label={t.title}
        query={query}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        minWidth={760}
        empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}
        columns={[
          { title: t.at, cell: ({ at }) => <Time value={at} /> },
          { title: t.actor, cell: ({ actor }) => <Id value={actor} /> },
          {
            title: t.action,
            cell: ({ action }) => (
              <>
                {t.actionName(action)} <Code>{action}</Code>
              </>
            ),
          },
          { title: t.entity, cell: ({ entityId }) => <Id value={entityId} /> },
          {
            title: t.change,
            cell: (entry) => (
              <Button size="compact-xs" variant="default" onClick={() => setShown(entry)}>
                {t.show}
              </Button>
            ),
          },
        ]}
      />
      <Modal
        opened={shown !== null}
        onClose={() => setShown(null)}
        title={shown && t.actionName(shown.action)}
        size="xl"
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        {shown && (
          <Stack gap="xs">
            <Group gap={4}>
              {texts.errors.requestId} <Copyable value={shown.requestId} />
            </Group>
            {(
              [
                [t.before, shown.before],
                [t.after, shown.after],
              ] as const
            ).map(([title, value]) => (
              <div key={title}>
                <Title order={3}>{title}</Title>
                <Code block tabIndex={0}>
                  {value
                    ? JSON.stringify(value, null, 2)
                    : title === t.before && isSaveOfEndpoint(shown)
                      ? t.inEarlier
                      : texts.none}
                </Code>
              </div>
            ))}
          </Stack>
        )}
      </Modal>
    </>
  );
}
