import { Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Amount } from '../components/amount';
import { Empty, NoMatch } from '../components/empty';
import { ExportSales } from '../components/export-sales';
import { ChoiceFilter, DayFilter, Filters, List, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { dayStart, given, useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';
import { PartnerFilter } from './partner-filter';
import type { Environment } from './queries';
import { type Sale, SALE_COLUMNS } from './sale-columns';

const t = managerTexts.sales;
/** A value of `from` that excludes no sale. With `from`, the API sorts by the time of the sale, as the export does. */
const EARLIEST = new Date(0).toISOString();

/** The sales of all partners, newest first. */
export default function SalesPage() {
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters([
    'search',
    'partnerId',
    'status',
    'environment',
    'from',
    'to',
  ]);
  const filters = {
    // The API does not accept `search` together with `partnerId`.
    search: values.partnerId ? undefined : given(values.search),
    partnerId: given(values.partnerId),
    status: given(values.status) as Sale['status'] | undefined,
    environment: given(values.environment) as Environment | undefined,
    from: dayStart(values.from),
    to: dayStart(values.to, 1),
  };
  // Totals are shown only with one of these filters. Managers do not expect totals after a search alone.
  const wantsTotals = [values.partnerId, values.environment, values.from, values.to].some(Boolean);
  // Purchases that are attributed to no partner are sorted by arrival, and cannot be exported.
  const isOfPartners = filters.status !== 'unattributed';
  const from = filters.from ?? (isOfPartners ? EARLIEST : undefined);
  const query = useQuery({
    queryKey: ['sales', values, cursor],
    queryFn: () => {
      const listed = { ...filters, from, totals: 'true' as const, cursor, limit: 50 };
      return answerOf(managerApi.GET('/admin/sales', { params: { query: listed } }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  });
  return (
    <Page
      title={t.title}
      actions={isOfPartners && <ExportSales path="/admin/sales/export/csv" filters={filters} days={values} />}
    >
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        {!values.partnerId && (
          <TextFilter label={t.search} value={values.search} onChange={(value) => set('search', value)} w={280} />
        )}
        <PartnerFilter label={t.partner} value={values.partnerId} onChange={(value) => set('partnerId', value)} />
        <ChoiceFilter
          label={t.status}
          value={values.status}
          onChange={(value) => set('status', value)}
          choices={texts.saleStatus}
        />
        <ChoiceFilter
          label={texts.environment}
          value={values.environment}
          onChange={(value) => set('environment', value)}
          choices={texts.environments}
        />
        <DayFilter label={t.from} value={values.from} to={values.to} onChange={(value) => set('from', value)} />
        <DayFilter label={t.to} value={values.to} from={values.from} onChange={(value) => set('to', value)} />
      </Filters>
      {isFiltered && query.data && (query.data.totals || wantsTotals) && (
        <Totals totals={query.data.totals} isOfStatus={values.status !== ''} />
      )}
      <List
        label={t.title}
        query={query}
        columns={SALE_COLUMNS}
        idOf={({ oid }) => oid}
        cursor={cursor}
        goTo={goTo}
        minWidth={980}
        empty={
          isFiltered ? (
            <NoMatch title={t.noMatchTitle} clear={clear}>
              {filters.search && `${t.exact} ${t.withoutPartner(texts.saleStatus.unattributed)}`}
            </NoMatch>
          ) : (
            <Empty title={t.emptyTitle}>{t.empty}</Empty>
          )
        }
      />
    </Page>
  );
}

interface TotalsProps {
  readonly totals: components['schemas']['SalePage']['totals'];
  /** Whether the sales are filtered by their status. Otherwise, the totals count all sales that have ever qualified. */
  readonly isOfStatus: boolean;
}

/** Shows the totals of the filtered sales, or a hint if the API cannot compute them for this filter. */
function Totals({ totals, isOfStatus }: TotalsProps) {
  const textOf = isOfStatus ? t.count : t.countOfAll;
  return (
    <Group gap="md" role="status" aria-label={t.totals}>
      {totals === null ? (
        <Text size="sm" c="dimmed">
          {t.noTotals}
        </Text>
      ) : (
        <>
          {totals.length === 0 && <Text size="sm">{textOf(0)}</Text>}
          {totals.map(({ currency, count, amount }) => (
            <Text key={currency} size="sm">
              {textOf(count)} · <Amount amount={amount} currency={currency} />
            </Text>
          ))}
        </>
      )}
    </Group>
  );
}
