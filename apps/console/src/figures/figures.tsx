import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { LIVE_MS } from '../api/query';
import { Amount, formatAmount } from '../components/amount';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Loaded } from '../components/loaded';
import type { components } from '../generated/manager-api';
import { figureTexts as t } from '../texts/figures';
import { Counted } from './counted';
import { daysAgo, startsOf, timeZone, useToday } from './periods';

const Trend = lazy(() => import('./trend'));

type Statistics = components['schemas']['Statistics'];
type SaleFigures = components['schemas']['SaleFigures'];

/** The query parameters of a request for statistics. */
export interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly by: 'day';
  readonly timeZone: string;
}

interface FiguresProps {
  /** The part of the cache key that identifies the data of `load`. */
  readonly of: readonly unknown[];
  readonly load: (wanted: Wanted) => Promise<Statistics>;
  /** The hint that is shown when there are no sales in the last 30 days. */
  readonly whenEmpty: string;
}

const TREND_DAYS = 29;

/** Shows the figures of today, this week and this month, and the trend of the last 30 days. Days are those of the reader's time zone. */
export function Figures({ of, load, whenEmpty }: FiguresProps) {
  const now = useToday();
  const starts = startsOf(now);
  const query = (from: string) => ({
    queryKey: ['statistics', ...of, from, starts.today, timeZone()],
    queryFn: () => load({ from, to: starts.today, by: 'day', timeZone: timeZone() }),
    refetchInterval: LIVE_MS,
  });
  const month = useQuery(query(starts.month));
  const week = useQuery(query(starts.week));
  const today = useQuery(query(starts.today));
  const trend = useQuery(query(daysAgo(TREND_DAYS, now)));
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {(
          [
            [t.today, today],
            [t.week, week],
            [t.month, month],
          ] as const
        ).map(([title, period]) => (
          <Paper withBorder p="md" key={title}>
            <Title order={2} size="sm" fw={600} c="dimmed">
              {title}
            </Title>
            <Loaded query={period} lines={2}>
              {({ totals, postbacks, vouchers }) => (
                <Stack gap="xs">
                  <Totals totals={totals} />
                  <div>
                    <Counted postbacks={postbacks} vouchers={vouchers} />
                  </div>
                </Stack>
              )}
            </Loaded>
          </Paper>
        ))}
      </SimpleGrid>
      <Paper withBorder p="md">
        <Loaded query={trend} lines={7}>
          {(statistics) => <TrendOf statistics={statistics} whenEmpty={whenEmpty} />}
        </Loaded>
      </Paper>
    </Stack>
  );
}

function Totals({ totals }: { totals: readonly SaleFigures[] }) {
  if (totals.length === 0) return <Text c="dimmed">{t.noSales}</Text>;
  return (
    <Stack gap="sm">
      {totals.map((figures) => (
        <div key={figures.currency}>
          <Text size="lg" fw={700}>
            {t.sales(figures.sales, formatAmount(figures.amount, figures.currency))}
          </Text>
          {lostOf(figures).map((line) => (
            <Text key={line} size="xs" c="dimmed">
              {line}
            </Text>
          ))}
          {figures.netAmount !== figures.amount && (
            <Text size="sm" fw={600}>
              {t.net(formatAmount(figures.netAmount, figures.currency))}
            </Text>
          )}
          {figures.held > 0 && (
            <Text size="xs" c="dimmed">
              {t.held(figures.held)}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}

/** Describes the refunded, charged-back and revoked sales, which the net amount leaves out. Their amounts are shown as negative. */
function lostOf(figures: SaleFigures): string[] {
  const { currency, refunded, refundedAmount, revoked, revokedAmount, chargedBack, chargedBackAmount } = figures;
  const minus = (amount: string): string => formatAmount(`-${amount}`, currency);
  return [
    ...(refunded > 0 ? [t.refunds(refunded, minus(refundedAmount))] : []),
    ...(chargedBack > 0 ? [t.chargedBack(chargedBack, minus(chargedBackAmount))] : []),
    ...(revoked > 0 ? [t.revoked(revoked, minus(revokedAmount))] : []),
  ];
}

/** Shows the trend as a chart or, if the user prefers, as a table. */
function TrendOf({ statistics, whenEmpty }: { statistics: Statistics; whenEmpty: string }) {
  const [asTable, setAsTable] = useState(false);
  const { items } = statistics;
  if (items.length === 0) return <Empty title={t.emptyTitle}>{whenEmpty}</Empty>;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t.trend}</Title>
        <Button size="compact-xs" variant="default" onClick={() => setAsTable(!asTable)}>
          {asTable ? t.trendChart : t.trendTable}
        </Button>
      </Group>
      {asTable ? (
        <DataTable
          label={t.trend}
          rows={items}
          idOf={({ start, currency }) => start + currency}
          minWidth={420}
          columns={[
            { title: t.day, cell: ({ start }) => start },
            { title: t.count, align: 'right', cell: ({ sales }) => sales },
            { title: t.amount, align: 'right', cell: (day) => <Amount amount={day.amount} currency={day.currency} /> },
            {
              title: t.netAmount,
              align: 'right',
              cell: (day) => <Amount amount={day.netAmount} currency={day.currency} />,
            },
          ]}
        />
      ) : (
        <Suspense fallback={<div style={{ height: 240 }} />}>
          <Trend statistics={statistics} />
        </Suspense>
      )}
    </Stack>
  );
}
