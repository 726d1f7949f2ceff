import type { Latencies } from '../delivery/latency';
import { Figure, ms } from '../report';
import { median } from '../statistics';
import { sumOf } from '../processes/cpu';
import type { Cost, Run } from './round';
import { PLATFORM } from './stack';

/** The targets of a flood. */
export interface FloodTargets {
  /** The minimum throughput. */
  readonly salesPerSecond: number;
  /** The maximum CPU time of all apps and Postgres, per sale. */
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

/** The targets of a run at a steady rate. */
export interface PacedTargets {
  /** The maximum 95th percentile of the time from the answer to a webhook until the arrival of its postback, ms. */
  readonly p95: number;
  /** The maximum CPU time of all apps and Postgres, per sale. */
  readonly cpuMs?: number;
  /** The maximum numbers of commits and of statements in Postgres, per sale. */
  readonly commits?: number;
  readonly statements?: number;
  /** The maximum share of a core that the apps and Postgres use while they are idle. */
  readonly idleShare?: number;
}

/**
 * Returns the figures of runs at a steady rate.
 * @param statements the number of statements per sale, counted in a separate run
 */
export const pacedFigures = (
  name: string,
  runs: readonly (Run & Cost)[],
  statements: number,
  targets: PacedTargets,
): Figure[] => [
  ...latencyFigures(
    `${name}, webhook answered to postback`,
    runs.map(({ fromAnswer }) => fromAnswer),
    targets.p95,
  ),
  ...latencyFigures(
    `${name}, webhook sent to postback`,
    runs.map(({ fromSending }) => fromSending),
  ),
  ...cpuFigures(name, runs, targets.cpuMs),
  countFigure(`${name}, commits a sale`, median(runs.map(({ commits }) => commits)), targets.commits),
  countFigure(`${name}, statements a sale`, statements, targets.statements),
  countFigure(`${name}, wake-ups a sale`, medianOf(runs.map(({ wakeUps }) => wakeUps))),
  countFigure(
    `${name}, idle before the run, share of a core`,
    medianOf(runs.map(({ idleShare }) => idleShare)),
    targets.idleShare,
  ),
  refusedFigure(name, runs),
];

const medianOf = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : median(values as number[]);

function countFigure(name: string, value: number | null, target?: number): Figure {
  const judged = target !== undefined && { target: `<= ${target}` };
  const text = value === null ? 'not measured' : value.toFixed(2);
  return { name, value: text, ...judged, ...(judged && value !== null && { met: value <= target }) };
}

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

/** Describes a flood in one line. */
export const floodText = (run: Run & Cost): string =>
  `${Math.round(run.salesPerSecond)} sales/s, CPU a sale ${cpuText(sumOf(run.cpuMs, PLATFORM))}, ${run.commits.toFixed(1)} commits a sale, ` +
  `webhook sent to postback ${latencyText(run.fromSending)}`;

/** Describes a run at a steady rate in one line. */
export const pacedText = (run: Run & Cost): string =>
  `answer to postback ${latencyText(run.fromAnswer)}, CPU a sale ${cpuText(sumOf(run.cpuMs, PLATFORM))}, ` +
  `${run.commits.toFixed(1)} commits a sale, ${run.wakeUps?.toFixed(0) ?? '?'} wake-ups, idle ${run.idleShare?.toFixed(3) ?? '?'}`;

const latencyText = ({ p50, p95, p99 }: Latencies): string => `p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`;

/**
 * Returns figures of the CPU time per sale: one for all apps and Postgres together, and one for each process.
 * @param target the maximum for all apps and Postgres together, in milliseconds per sale
 */
function cpuFigures(name: string, runs: readonly Cost[], target?: number): Figure[] {
  const processes = Object.keys(runs[0]?.cpuMs ?? {});
  return [
    cpuFigure(`${name}, CPU a sale, all apps and postgres`, runs, PLATFORM, target),
    ...processes.map((process) => cpuFigure(`${name}, CPU a sale, ${process}`, runs, [process])),
  ];
}

function cpuFigure(name: string, runs: readonly Cost[], processes: readonly string[], target?: number): Figure {
  const value = medianOf(runs.map((run) => sumOf(run.cpuMs, processes)));
  const judged = target !== undefined && { target: `<= ${target.toFixed(2)} ms` };
  return { name, value: cpuText(value), ...judged, ...(judged && value !== null && { met: value <= target }) };
}

const cpuText = (value: number | null): string => (value === null ? 'not measured' : ms(value));
