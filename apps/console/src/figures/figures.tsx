import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatAmount } from '../components/amount';
import { Loaded } from '../components/loaded';
import type { components } from '../generated/manager-api';
import { figureTexts as t } from '../texts/figures';
import { Counted } from './counted';
import { type FiguresProps, figuresQuery } from './figures-query';
import { PeriodFigures } from './period-figures';
import { startsOf, useToday } from './periods';
import { hasNet, type SaleFigures, Totals } from './totals';

type Statistics = components['schemas']['Statistics'];

/**
 * Shows the figures of today, this week and this month, and those of a period that the reader chooses. Days begin at midnight in the reader's time
 * zone.
 */
export function Figures(props: FiguresProps) {
  const now = useToday();
  const starts = startsOf(now);
  const query = (from: string) => figuresQuery(props, { from, to: starts.today, by: 'day' });
  const month = useQuery(query(starts.month));
  const week = useQuery(query(starts.week));
  const today = useQuery(query(starts.today));
  // This query is not refreshed while the page is open, because only its figures of the previous month are used, which hardly change.
  const months = useQuery({
    ...figuresQuery(props, { from: starts.lastMonth, to: starts.today, by: 'month' }),
    refetchInterval: false,
  });
  const lastMonth = months.data?.items.filter(({ start }) => start === starts.lastMonth);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Block title={t.today} query={today} />
        <Block title={t.week} query={week} />
        <Block title={t.month} query={month}>
          {lastMonth && <LastMonth totals={lastMonth} />}
        </Block>
      </SimpleGrid>
      <PeriodFigures {...props} now={now} />
    </Stack>
  );
}

interface BlockProps {
  readonly title: string;
  readonly query: Parameters<typeof Loaded<Statistics>>[0]['query'];
  readonly children?: ReactNode;
}

function Block({ title, query, children }: BlockProps) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="sm" fw={600} c="dimmed">
        {title}
      </Title>
      <Loaded query={query} lines={2}>
        {({ totals, postbacks, vouchers }) => (
          <Stack gap="xs">
            <Totals totals={totals} />
            {children}
            <div>
              <Counted postbacks={postbacks} vouchers={vouchers} />
            </div>
          </Stack>
        )}
      </Loaded>
    </Paper>
  );
}

/** Shows the sales of the previous month, so that the reader can compare the sales of this month with them. */
function LastMonth({ totals }: { totals: readonly SaleFigures[] }) {
  const showsNet = hasNet(totals);
  const lines = totals.map(({ currency, sales, amount, netAmount }) => {
    const net = showsNet ? [t.net(formatAmount(netAmount, currency))] : [];
    return t.lastMonthWas([t.sales(sales, formatAmount(amount, currency)), ...net].join('. '));
  });
  return (
    <div>
      {(lines.length > 0 ? lines : [t.lastMonthEmpty]).map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </div>
  );
}
