import type { Latencies } from '../delivery/latency';
import { SALE_APPS } from '../processes/apps';
import { Figure, ms } from '../report';
import { median } from '../statistics';
import type { Cost, Run } from './round';

/** The processes that the target for CPU time counts; the others are shown beside them. */
const COUNTED = [...SALE_APPS, 'postgres'];

/** What a flood should reach. */
export interface FloodTargets {
  readonly salesPerSecond: number;
  /** The four apps and Postgres, a sale. */
  readonly cpuMs?: number;
}

export function floodFigures(
  name: string,
  runs: readonly (Run & Cost)[],
  { salesPerSecond, cpuMs }: FloodTargets,
): Figure[] {
  const rate = median(runs.map((run) => run.salesPerSecond));
  return [
    {
      name: `${name}, sales a second`,
      value: String(Math.round(rate)),
      target: `>= ${salesPerSecond}`,
      met: rate >= salesPerSecond,
    },
    ...cpuFigures(name, runs, cpuMs),
    { name: `${name}, commits a sale`, value: median(runs.map(({ commits }) => commits)).toFixed(2) },
    { name: `${name}, WAL a sale`, value: `${median(runs.map(({ walKb }) => walKb)).toFixed(1)} kB` },
    ...latencyFigures(
      `${name}, webhook sent to postback`,
      runs.map(({ fromSending }) => fromSending),
    ),
    refusedFigure(name, runs),
  ];
}

/** @param p95 milliseconds from a webhook's answer to its postback, at most */
export const pacedFigures = (name: string, runs: readonly (Run & Cost)[], p95: number): Figure[] => [
  ...latencyFigures(
    `${name}, webhook answered to postback`,
    runs.map(({ fromAnswer }) => fromAnswer),
    p95,
  ),
  ...latencyFigures(
    `${name}, webhook sent to postback`,
    runs.map(({ fromSending }) => fromSending),
  ),
  ...cpuFigures(name, runs),
  refusedFigure(name, runs),
];

function refusedFigure(name: string, runs: readonly Run[]): Figure {
  const refused = runs.reduce((sum, run) => sum + run.refused, 0);
  return { name: `${name}, webhooks answered with 503`, value: String(refused), target: '0', met: refused === 0 };
}

const latencyFigures = (name: string, latencies: readonly Latencies[], p95Target?: number): Figure[] =>
  (['p50', 'p95', 'p99'] as const).map((which) => {
    const value = median(latencies.map((one) => one[which]));
    const target = which === 'p95' ? p95Target : undefined;
    const judged = target !== undefined && { target: `<= ${target} ms`, met: value <= target };
    return { name: `${name}, ${which}`, value: ms(value), ...judged };
  });

/** One line about one flood. */
export const floodText = (run: Run & Cost): string =>
  `${Math.round(run.salesPerSecond)} sales/s, CPU a sale ${cpuText(cpuOf(run, COUNTED))}, ${run.commits.toFixed(1)} commits a sale, ` +
  `webhook sent to postback ${latencyText(run.fromSending)}`;

/** One line about one run at a steady rate. */
export const pacedText = (run: Run & Cost): string =>
  `answer to postback ${latencyText(run.fromAnswer)}, CPU a sale ${cpuText(cpuOf(run, COUNTED))}, ` +
  `${run.commits.toFixed(1)} commits a sale`;

const latencyText = ({ p50, p95, p99 }: Latencies): string => `p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`;

/** @param target of the four apps and Postgres together, milliseconds a sale */
function cpuFigures(name: string, runs: readonly Cost[], target?: number): Figure[] {
  const processes = Object.keys(runs[0]?.cpuMs ?? {});
  return [
    cpuFigure(`${name}, CPU a sale, the four apps and postgres`, runs, COUNTED, target),
    ...processes.map((process) => cpuFigure(`${name}, CPU a sale, ${process}`, runs, [process])),
  ];
}

function cpuFigure(name: string, runs: readonly Cost[], processes: readonly string[], target?: number): Figure {
  const values = runs.map((run) => cpuOf(run, processes));
  const value = values.includes(null) ? null : median(values as number[]);
  const judged = target !== undefined && { target: `<= ${target.toFixed(2)} ms` };
  return { name, value: cpuText(value), ...judged, ...(judged && value !== null && { met: value <= target }) };
}

/** The sum over these processes; null when one of them was not measured. */
function cpuOf({ cpuMs }: Cost, processes: readonly string[]): number | null {
  return processes.reduce<number | null>((sum, name) => {
    const value = cpuMs[name] ?? null;
    return sum === null || value === null ? null : sum + value;
  }, 0);
}

const cpuText = (value: number | null): string => (value === null ? 'not measured' : ms(value));
