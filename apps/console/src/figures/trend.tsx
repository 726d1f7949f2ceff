import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { components } from '../generated/manager-api';
import { dayOf } from './periods';

const COLORS = ['indigo.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6'];

/**
 * A chart with a bar for each day, which has a segment for each currency. The bars show numbers of sales, because amounts in different currencies
 * cannot be added. Screen readers skip the chart: a button replaces it with a table of the same figures.
 */
export default function Trend({
  statistics: { from, to, items },
}: {
  statistics: components['schemas']['Statistics'];
}) {
  const currencies = [...new Set(items.map(({ currency }) => currency))].sort();
  const days: Record<string, string | number>[] = [];
  const end = new Date(`${to}T12:00:00`);
  for (const at = new Date(`${from}T12:00:00`); at <= end; at.setDate(at.getDate() + 1)) {
    const start = dayOf(at);
    const counts = items
      .filter((item) => item.start === start)
      .map(({ currency, sales }) => [currency, sales] as const);
    days.push({ day: start.slice(5), ...Object.fromEntries(counts) });
  }
  return (
    <div aria-hidden="true">
      <BarChart
        h={240}
        data={days}
        dataKey="day"
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
