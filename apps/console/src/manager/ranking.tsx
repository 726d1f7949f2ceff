import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { Amount } from '../components/amount';
import { DataTable } from '../components/data-table';
import { Link } from '../components/link';
import { Loaded } from '../components/loaded';
import type { Wanted } from '../figures/figures-query';
import { figureTexts } from '../texts/figures';

const t = figureTexts.ranking;
/** How many partners the ranking shows for each currency. */
const PLACES = 10;
/** How long a loaded ranking counts as current, in ms. During this time, it is shown again without a new request. */
const STALE_MS = 60_000;
/** How often an open page loads the ranking again, in ms: rarely, because a ranking reads the figures of every partner. */
const REFRESH_MS = 5 * 60_000;

/** The partners with the highest net amounts of live sales in a period. */
export function Ranking(wanted: Wanted) {
  const query = useQuery({
    queryKey: ['ranking', wanted],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/statistics/partners', { params: { query: { ...wanted, limit: PLACES } } })),
    staleTime: STALE_MS,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="xs">
      <Title order={3}>{t.title}</Title>
      <Text size="sm" c="dimmed">
        {t.hint(PLACES)}
      </Text>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{figureTexts.emptyPeriod}</Text>
          ) : (
            <DataTable
              label={t.title}
              rows={items}
              idOf={({ partnerId, currency }) => partnerId + currency}
              minWidth={480}
              columns={[
                { title: figureTexts.currency, cell: ({ currency }) => currency },
                { title: t.rank, cell: ({ rank }) => rank },
                {
                  title: t.partner,
                  cell: ({ partnerId, partnerName }) => <Link to={`/partners/${partnerId}`}>{partnerName}</Link>,
                },
                { title: figureTexts.count, align: 'right', cell: ({ sales }) => sales },
                {
                  title: figureTexts.amount,
                  align: 'right',
                  cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
                },
                {
                  title: figureTexts.netAmount,
                  align: 'right',
                  cell: ({ netAmount, currency }) => <Amount amount={netAmount} currency={currency} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Stack>
  );
}
