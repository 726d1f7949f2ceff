import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, partnerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Amount } from '../components/amount';
import { Empty, NoMatch } from '../components/empty';
import { ExportSales } from '../components/export-sales';
import { Id } from '../components/id';
import { Link } from '../components/link';
import { ChoiceFilter, DayFilter, Filters, List, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { DeliveryStatus, SaleStatus } from '../components/status';
import { Time } from '../components/time';
import { dayStart, given, useFilters } from '../components/use-filters';
import { isBeforeDeliveryLog } from '../deliveries/delivery-log';
import { statusOfPostback } from '../deliveries/statuses';
import type { components } from '../generated/partner-api';
import { useRight } from '../session/session';
import { texts } from '../texts/common';
import { deliveryTexts } from '../texts/deliveries';
import { GUIDE } from '../texts/navigation';
import { portalTexts } from '../texts/portal';
import { saleReason } from '../texts/reasons';

const t = portalTexts.sales;
type Status = components['schemas']['PartnerSale']['status'];

const { pending, held, qualified, failed, revoked, refunded, charged_back } = texts.saleStatus;
/** The statuses by which sales can be filtered. `unattributed` is not among them, because a partner never sees such sales. */
const STATUSES = { pending, held, qualified, failed, revoked, refunded, charged_back } as const;

/** The partner's own sales, in every status that a partner can see. */
export default function PortalSalesPage() {
  const mayCreate = useRight('checkout:create');
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(['status', 'refId', 'from', 'to']);
  const filters = {
    status: given(values.status) as Status | undefined,
    refId: given(values.refId),
    from: dayStart(values.from),
    to: dayStart(values.to, 1),
  };
  const query = useQuery({
    queryKey: ['sales', 'own', values, cursor],
    queryFn: () =>
      answerOf(partnerApi.GET('/api/v2/partner/sales', { params: { query: { ...filters, cursor, limit: 50 } } })),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  });
  return (
    <Page
      title={t.title}
      actions={
        <ExportSales
          path="/api/v2/partner/sales/export"
          filters={filters}
          days={values}
          guide={`${GUIDE}#the-exported-file`}
        />
      }
    >
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        <ChoiceFilter
          label={t.status}
          value={values.status}
          onChange={(value) => set('status', value)}
          choices={STATUSES}
        />
        <TextFilter
          label={t.reference}
          hint={deliveryTexts.referenceHint}
          value={values.refId}
          onChange={(value) => set('refId', value)}
          w={260}
        />
        <DayFilter label={t.from} value={values.from} to={values.to} onChange={(value) => set('from', value)} />
        <DayFilter label={t.to} value={values.to} from={values.from} onChange={(value) => set('to', value)} />
      </Filters>
      <List
        label={t.title}
        query={query}
        idOf={({ oid }) => oid}
        cursor={cursor}
        goTo={goTo}
        minWidth={900}
        empty={
          isFiltered ? (
            <NoMatch title={t.noMatchTitle} clear={clear} />
          ) : (
            <Empty title={t.emptyTitle}>{mayCreate ? t.empty : t.emptyReading}</Empty>
          )
        }
        columns={[
          { title: t.soldAt, cell: ({ soldAt }) => <Time value={soldAt} /> },
          { title: t.sale, cell: ({ oid }) => <Link to={`/my/sales/${encodeURIComponent(oid)}`}>{oid}</Link> },
          { title: t.reference, cell: ({ refId }) => (refId ? <Id value={refId} /> : texts.none) },
          {
            title: t.status,
            cell: ({ status, reason }) => (
              <>
                <SaleStatus status={status} />
                {reason && (
                  <Text size="xs" c="dimmed" maw={200}>
                    {saleReason(reason)}
                  </Text>
                )}
              </>
            ),
          },
          {
            title: t.amount,
            align: 'right',
            cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
          },
          { title: t.buyer, cell: ({ emailMasked }) => emailMasked ?? texts.none },
          {
            title: t.postback,
            cell: (sale) =>
              !sale.postback && isBeforeDeliveryLog(sale) ? (
                texts.none
              ) : (
                <DeliveryStatus status={sale.postback ? statusOfPostback(sale.postback) : 'none'} />
              ),
          },
        ]}
      />
    </Page>
  );
}
