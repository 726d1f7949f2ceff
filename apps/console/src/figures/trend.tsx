import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { noonOf } from '../components/days';
import type { components } from '../generated/manager-api';
import { dayOf, startTextOf, type Unit } from './periods';

const COLORS = ['indigo.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6'];

const STEP: Readonly<Record<Unit, (at: Date) => void>> = {
  day: (at) => at.setDate(at.getDate() + 1),
  week: (at) => at.setDate(at.getDate() + 7),
  month: (at) => at.setMonth(at.getMonth() + 1),
};

/**
 * A chart with a bar for each day, week or month. Each bar has a segment for each currency. The bars show numbers of sales, because amounts in
 * different currencies cannot be added. Screen readers skip the chart: a button replaces it with a table of the same figures.
 */
export default function Trend({
  statistics: { from, to, by, items },
}: {
  statistics: components['schemas']['Statistics'];
}) {
  const currencies = [...new Set(items.map(({ currency }) => currency))].sort();
  const bars: Record<string, string | number>[] = [];
  const end = noonOf(to);
  for (const at = noonOf(from); at <= end; STEP[by](at)) {
    const start = dayOf(at);
    const counts = items
      .filter((item) => item.start === start)
      .map(({ currency, sales }) => [currency, sales] as const);
    bars.push({ start: startTextOf(start, by), ...Object.fromEntries(counts) });
  }
  return (
    <div aria-hidden="true">
      <BarChart
        h={240}
        data={bars}
        dataKey="start"
        type="stacked"
        withLegend={currencies.length > 1}
        tickLine="none"
        yAxisProps={{ allowDecimals: false, width: 36 }}
        barChartProps={{ accessibilityLayer: false }}
        series={currencies.map((name, index) => ({ name, color: COLORS[index % COLORS.length] as string }))}
      />
    </div>
  );
}
