import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Empty } from '../components/empty';
import { List } from '../components/list-page';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { managerTexts } from '../texts/manager';
import { SALE_COLUMNS } from './sale-columns';

const t = managerTexts.sales;

/** The sales of a partner, newest first. */
export default function PartnerSales({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const { cursor, goTo } = useFilters([]);
  const query = useQuery({
    queryKey: ['sales', 'of', id, cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/sales', { params: { query: { partnerId: id, cursor, limit: 50 } } })),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
  return (
    <List
      label={t.title}
      query={query}
      columns={SALE_COLUMNS.filter(({ title }) => title !== t.partner)}
      idOf={({ oid }) => oid}
      cursor={cursor}
      goTo={goTo}
      minWidth={860}
      empty={<Empty title={t.emptyTitle}>{t.emptyOfPartner}</Empty>}
    />
  );
}
