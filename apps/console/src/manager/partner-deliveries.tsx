import { Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { ChoiceFilter, Filters, TextFilter } from '../components/list-page';
import { given, useFilters } from '../components/use-filters';
import { DeliveryList } from '../deliveries/delivery-list';
import { NotSent } from '../deliveries/not-sent';
import { ReplayRange } from '../deliveries/replay-range';
import type { components, operations } from '../generated/manager-api';
import { deliveryTexts as t } from '../texts/deliveries';
import { refreshOf } from '../deliveries/refresh';
import { filtersOf, STATUSES } from '../deliveries/statuses';
import { partnersTexts } from '../texts/partners';
import { useEnvironment } from './environment-choice';
import { usePostback } from './queries';

/** Lists the deliveries to a partner, with buttons to send them again. */
export default function PartnerDeliveries({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const [environment, choice] = useEnvironment();
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(['status', 'oid', 'refId']);
  const { data: endpoint } = usePostback(id, environment);
  // The API refuses to send to a missing or disabled endpoint. While the endpoint is not known (it is loading, or
  // could not be loaded), the buttons are shown, and the API decides.
  const canSend = endpoint === undefined || endpoint?.status === 'active';
  const query = useQuery({
    queryKey: ['deliveries', id, environment, values, cursor],
    queryFn: () => {
      const filters = {
        ...filtersOf(values.status),
        oid: given(values.oid),
        refId: given(values.refId),
        environment,
        cursor,
        limit: 50,
      };
      return answerOf(managerApi.GET('/admin/partners/{id}/deliveries', { params: { path: { id }, query: filters } }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshOf,
  });
  const replay = (deliveryId: string) =>
    answerOf(
      managerApi.POST('/admin/partners/{id}/deliveries/{deliveryId}/replay', {
        params: { path: { id, deliveryId }, query: { environment } },
      }),
    );
  const countReplay = (range: operations['countPartnerReplay']['parameters']['query'], signal: AbortSignal) =>
    answerOf(
      managerApi.GET('/admin/partners/{id}/deliveries/replay', {
        params: { path: { id }, query: { ...range, environment } },
        signal,
      }),
    );
  const replayRange = (body: components['schemas']['ReplayRangeBody']) =>
    answerOf(
      managerApi.POST('/admin/partners/{id}/deliveries/replay', {
        params: { path: { id }, query: { environment } },
        body,
      }),
    );
  return (
    <Stack>
      <Group align="flex-end">
        {choice}
        <Filters isFiltered={isFiltered} clear={clear} round={round}>
          <ChoiceFilter
            label={t.status}
            value={values.status}
            onChange={(value) => set('status', value)}
            choices={STATUSES}
          />
          <TextFilter label={t.sale} value={values.oid} onChange={(value) => set('oid', value)} />
          <TextFilter label={t.reference} value={values.refId} onChange={(value) => set('refId', value)} />
        </Filters>
        {canSend && (
          <ReplayRange
            environment={environment}
            owner={[id, environment]}
            countReplay={countReplay}
            replay={replayRange}
            listed={values.status}
          />
        )}
      </Group>
      {endpoint === null && (
        <NotSent
          title={partnersTexts.endpoint.none}
          text={partnersTexts.endpoint.missing}
          step={{ to: `/partners/${id}?tab=links`, action: partnersTexts.endpoint.makeLink }}
        />
      )}
      {endpoint?.status === 'disabled' && (
        <NotSent
          title={partnersTexts.endpoint.isDisabled}
          text={partnersTexts.endpoint.whileDisabled}
          step={{
            to: `/partners/${id}?tab=endpoint&environment=${environment}`,
            action: partnersTexts.endpoint.toEndpoint,
          }}
        />
      )}
      <DeliveryList
        query={query}
        filters={values}
        clear={clear}
        cursor={cursor}
        goTo={goTo}
        saleLink={(oid) => `/sales/${encodeURIComponent(oid)}`}
        replay={canSend ? replay : undefined}
      />
    </Stack>
  );
}
