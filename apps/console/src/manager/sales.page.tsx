import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Empty } from '../components/empty';
import { ChoiceFilter, Filters, List, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { given, useFilters } from '../components/use-filters';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';
import { type Sale, SALE_COLUMNS } from './sale-columns';

const t = managerTexts.sales;

/** All sales, newest first. */
export default function SalesPage() {
  const { values, cursor, set, goTo, clear, isFiltered } = useFilters(['status', 'partnerId', 'oid', 'refId']);
  const query = useQuery({
    queryKey: ['sales', values, cursor],
    queryFn: () => {
      const filters = {
        status: given(values.status) as Sale['status'] | undefined,
        partnerId: given(values.partnerId),
        oid: given(values.oid),
        refId: given(values.refId),
      };
      return answerOf(managerApi.GET('/admin/sales', { params: { query: { ...filters, cursor, limit: 50 } } }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  });
  return (
    <Page title={t.title}>
      <Filters isFiltered={isFiltered} clear={clear}>
        <ChoiceFilter
          label={t.status}
          value={values.status}
          onChange={(value) => set('status', value)}
          choices={texts.saleStatus}
        />
        <TextFilter label={t.partnerId} value={values.partnerId} onChange={(value) => set('partnerId', value)} />
        <TextFilter label={t.saleId} value={values.oid} onChange={(value) => set('oid', value)} />
        <TextFilter label={t.reference} value={values.refId} onChange={(value) => set('refId', value)} />
      </Filters>
      <List
        label={t.title}
        query={query}
        columns={SALE_COLUMNS}
        idOf={({ oid }) => oid}
        cursor={cursor}
        goTo={goTo}
        minWidth={980}
        empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}
      />
    </Page>
  );
}
