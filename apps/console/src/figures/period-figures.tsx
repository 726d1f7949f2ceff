import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Amount } from '../components/amount';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { DayFilter } from '../components/list-page';
import { Loaded } from '../components/loaded';
import { formatDays, isDay } from '../components/days';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { figureTexts as t } from '../texts/figures';
import { Counted } from './counted';
import { type FiguresProps, figuresQuery } from './figures-query';
import { dayOf, type Days, PERIODS, startTextOf, timeZone, type Unit, unitsOf } from './periods';
import { Totals } from './totals';

const Trend = lazy(() => import('./trend'));

type Statistics = components['schemas']['Statistics'];
type Period = keyof typeof t.periods;

const DEFAULT_PERIOD: Period = 'last30Days';
const TABLE = 'table';
const NAMES = ['period', 'by', 'from', 'to', 'view'] as const;

/** Returns the days of a period; undefined if the reader has not chosen both days, or if the last day is before the first. */
function daysOf(period: Period, { from, to }: Days, now: Date): Days | undefined {
  if (period !== 'otherDays') return PERIODS[period](now);
  return isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;
}

/** Shows the figures of a period that the reader chooses, by day, week or month. The choice is in the URL. */
export function PeriodFigures({ now, whenEmpty, ...source }: FiguresProps & { now: Date }) {
  const { values, set } = useFilters(NAMES);
  const period = Object.hasOwn(t.periods, values.period) ? (values.period as Period) : DEFAULT_PERIOD;
  const days = daysOf(period, values, now);
  const { units, first } = days ? unitsOf(days) : { units: [], first: 'day' as const };
  const by = units.find((unit) => unit === values.by) ?? first;
  return (
    <Paper withBorder p="md" component="section" aria-label={t.ofPeriod}>
      <Stack gap="sm">
        <Title order={2}>{t.ofPeriod}</Title>
        <Group align="flex-start" gap="sm">
          <NativeSelect
            label={t.period}
            size="xs"
            value={period}
            onChange={({ currentTarget }) => set('period', currentTarget.value)}
            data={Object.entries(t.periods).map(([value, label]) => ({ value, label }))}
          />
          {period === 'otherDays' && (
            <>
              <DayFilter label={t.from} value={values.from} to={values.to} onChange={(day) => set('from', day)} />
              <DayFilter label={t.to} value={values.to} from={values.from} onChange={(day) => set('to', day)} />
            </>
          )}
          {units.length > 0 && (
            <NativeSelect
              label={t.by}
              size="xs"
              value={by}
              onChange={({ currentTarget }) => set('by', currentTarget.value)}
              data={units.map((unit) => ({ value: unit, label: t.units[unit] }))}
            />
          )}
        </Group>
        {days && units.length > 0 ? (
          <FiguresOf
            {...{ source, days, by, now }}
            whenEmpty={period === DEFAULT_PERIOD ? whenEmpty : undefined}
            isTable={values.view === TABLE}
            show={(isTable) => set('view', isTable ? TABLE : null)}
          />
        ) : (
          <Text c="dimmed">{days ? t.tooLong : t.chooseDays}</Text>
        )}
      </Stack>
    </Paper>
  );
}

interface FiguresOfProps {
  readonly source: Omit<FiguresProps, 'whenEmpty'>;
  readonly days: Days;
  readonly by: Unit;
  readonly now: Date;
  /** The hint that is shown when there are no sales in the last 30 days; undefined for another period. */
  readonly whenEmpty: string | undefined;
  readonly isTable: boolean;
  readonly show: (isTable: boolean) => void;
}

/** Shows the totals of a period, and the figures of its days, weeks or months as a chart or, if the reader prefers, as a table. */
function FiguresOf({ source, days, by, now, whenEmpty, isTable, show }: FiguresOfProps) {
  const query = useQuery(figuresQuery(source, { ...days, by }));
  const today = dayOf(now);
  return (
    <Loaded query={query} lines={7}>
      {(statistics) => {
        const { from, to, totals, items, postbacks, vouchers } = statistics;
        // Whole weeks and months are counted, so the last one may end after today. The text then names today as the last day.
        const end = days.to <= today && to > today ? today : to;
        return (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {`${formatDays(from, end)}. ${t.whole[by]}${t.daysOf(timeZone())}`}
            </Text>
            {items.length > 0 && <Totals totals={totals} />}
            <div>
              <Counted postbacks={postbacks} vouchers={vouchers} />
            </div>
            {items.length === 0 && <Empty title={whenEmpty ? t.emptyTitle : t.emptyPeriod}>{whenEmpty}</Empty>}
            {items.length > 0 && <Parts {...{ statistics, isTable, show }} />}
            {items.length > 0 && source.below?.({ ...days, by, timeZone: timeZone() })}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Parts({ statistics, isTable, show }: Pick<FiguresOfProps, 'isTable' | 'show'> & { statistics: Statistics }) {
  const { by, items } = statistics;
  return (
    <>
      <Group justify="space-between">
        <Title order={3}>{t.trend[by]}</Title>
        <Button size="compact-xs" variant="default" onClick={() => show(!isTable)}>
          {isTable ? t.trendChart : t.trendTable}
        </Button>
      </Group>
      {isTable ? (
        <DataTable
          label={t.trend[by]}
          rows={items}
          idOf={({ start, currency }) => start + currency}
          minWidth={420}
          columns={[
            { title: t.start[by], cell: ({ start }) => startTextOf(start, by) },
            { title: t.count, align: 'right', cell: ({ sales }) => sales },
            {
              title: t.amount,
              align: 'right',
              cell: (part) => <Amount amount={part.amount} currency={part.currency} />,
            },
            {
              title: t.netAmount,
              align: 'right',
              cell: (part) => <Amount amount={part.netAmount} currency={part.currency} />,
            },
          ]}
        />
      ) : (
        <Suspense fallback={<div style={{ height: 240 }} />}>
          <Trend statistics={statistics} />
        </Suspense>
      )}
    </>
  );
}
