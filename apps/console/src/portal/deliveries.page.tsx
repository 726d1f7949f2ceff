import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, partnerApi } from '../api/clients';
import { ChoiceFilter, Filters, TextFilter } from '../components/list-page';
import { Page } from '../components/page';
import { given, useFilters } from '../components/use-filters';
import { DeliveryList } from '../deliveries/delivery-list';
import { ReplayRange } from '../deliveries/replay-range';
import { refreshOf } from '../deliveries/refresh';
import { filtersOf, STATUSES } from '../deliveries/statuses';
import { useRight } from '../session/session';
import { deliveryTexts as t } from '../texts/deliveries';
import { HeldPostbacksWarning, useOwnEndpoint } from './own-endpoint';

/** Lists the deliveries to the partner's endpoint. */
export default function PortalDeliveriesPage() {
  const mayWrite = useRight('postback:write');
  const { data: endpoint } = useOwnEndpoint();
  // The API refuses to send to a missing or disabled endpoint. While the endpoint is not known (it is loading, or
  // could not be loaded), a user with the right `postback:write` sees the buttons, and the API decides.
  const canSend = mayWrite && (endpoint === undefined || endpoint?.status === 'active');
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(['status', 'oid', 'refId']);
  const query = useQuery({
    queryKey: ['deliveries', 'own', values, cursor],
    queryFn: () => {
      const filters = {
        ...filtersOf(values.status),
        oid: given(values.oid),
        refId: given(values.refId),
        cursor,
        limit: 50,
      };
      return answerOf(partnerApi.GET('/api/v2/partner/postback/deliveries', { params: { query: filters } }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshOf,
  });
  const replay = (id: string) =>
    answerOf(partnerApi.POST('/api/v2/partner/postback/deliveries/{id}/replay', { params: { path: { id } } }));
  return (
    <Page
      title={t.title}
      actions={
        canSend && (
          <ReplayRange
            listed={values.status}
            owner={['own']}
            countReplay={(query, signal) =>
              answerOf(partnerApi.GET('/api/v2/partner/postback/deliveries/replay', { params: { query }, signal }))
            }
            replay={(body) => answerOf(partnerApi.POST('/api/v2/partner/postback/deliveries/replay', { body }))}
          />
        )
      }
    >
      <HeldPostbacksWarning />
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        <ChoiceFilter
          label={t.status}
          value={values.status}
          onChange={(value) => set('status', value)}
          choices={STATUSES}
        />
        <TextFilter label={t.sale} value={values.oid} onChange={(value) => set('oid', value)} />
        <TextFilter
          label={t.ownReference}
          hint={t.referenceHint}
          value={values.refId}
          onChange={(value) => set('refId', value)}
          w={260}
        />
      </Filters>
      <DeliveryList
        query={query}
        filters={values}
        clear={clear}
        cursor={cursor}
        goTo={goTo}
        reference={t.ownReference}
        saleLink={(oid) => `/my/sales/${encodeURIComponent(oid)}`}
        replay={canSend ? replay : undefined}
      />
    </Page>
  );
}
