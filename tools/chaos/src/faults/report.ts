import type { ChaosOptions } from '../options';
import { table } from '../report';
import type { PlannedFault } from './plan';
import type { Gap, ServiceLog } from './service-log';
import type { FaultsVerdict, Violation } from './verdict';

/** A fault as it happened. */
export interface InjectedFault extends PlannedFault {
  readonly from: number;
  readonly to: number;
}

/** The figures of one kind of fault. */
export interface KindFigures {
  readonly kind: string;
  readonly times: number;
  /** The longest duration of a fault with its repair, ms. */
  readonly longestMs: number;
  /** The longest time in which an operation had no success while such a fault lasted or was repaired, ms. */
  readonly withoutServiceMs: number;
}

/** What docs/reliability.md says of a run. */
export interface FaultsReport {
  readonly command: string;
  readonly bus: string;
  readonly seed: number;
  readonly faults: number;
  readonly kinds: readonly KindFigures[];
  readonly acknowledged: number;
  readonly requests: number;
  readonly lost: number;
  readonly twice: number;
  readonly wrong: number;
}

/** How long after a fault an operation may still feel it. */
const AFTER_MS = 5_000;
const SHOWN = 10;
/** How far before and after a violation the faults of its history lie. */
const HISTORY_MS = 30_000;

export function faultsReport(
  { bus, seed, replicas }: ChaosOptions,
  faults: readonly InjectedFault[],
  verdict: FaultsVerdict,
  log: ServiceLog,
): FaultsReport {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
  return {
    command: `npm run chaos -- --faults ${faults.length} --bus ${bus} --seed ${seed}${replicas === 2 ? '' : ` --replicas ${replicas}`}`,
    ...{ bus, seed, faults: faults.length, acknowledged: verdict.acknowledged, requests: log.requests },
    kinds: kinds.map((kind) => figuresOf(kind, faults, log.gaps)),
    ...{ lost: verdict.lost.length, twice: verdict.twice.length, wrong: verdict.wrong.length },
  };
}

function figuresOf(kind: string, faults: readonly InjectedFault[], gaps: readonly Gap[]): KindFigures {
  const own = faults.filter((fault) => fault.kind === kind);
  const felt = gaps.filter((gap) => own.some(({ from, to }) => gap.from < to + AFTER_MS && gap.to > from));
  return {
    ...{ kind, times: own.length, longestMs: Math.max(...own.map(({ from, to }) => to - from)) },
    withoutServiceMs: Math.max(0, ...felt.map(({ from, to }) => to - from)),
  };
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** Formats the figures of a run, and the history of each violation. */
export function printVerdict(report: FaultsReport, verdict: FaultsVerdict, faults: readonly InjectedFault[]): string {
  const kinds = table(
    ['fault', 'times', 'longest with repair, s', 'longest time without a success of an operation, s'],
    report.kinds.map(({ kind, times, longestMs, withoutServiceMs }) => [
      ...[kind, String(times), seconds(longestMs), seconds(withoutServiceMs)],
    ]),
  );
  const counts = table(
    ['what', 'count'],
    [
      ['acknowledged purchases, refunds, revocations, coupons, users, acts', String(report.acknowledged)],
      ['requests of the load beside them', String(report.requests)],
      ['lost', String(report.lost)],
      ['done twice', String(report.twice)],
      ['otherwise wrong', String(report.wrong)],
    ],
  );
  const violations = (['lost', 'twice', 'wrong'] as const).flatMap((name) =>
    verdict[name].slice(0, SHOWN).map((violation) => historyOf(name, violation, faults)),
  );
  const repeat = violations.length === 0 ? '' : `\nto repeat it: ${report.command}\n`;
  const outcome = violations.length === 0 ? 'chaos passed' : 'chaos FAILED';
  return `\n${kinds}\n\n${counts}\n${violations.join('\n')}${repeat}\n${outcome}`;
}

function historyOf(name: string, { what, subject, at }: Violation, faults: readonly InjectedFault[]): string {
  const head = `${name}: ${what}: ${subject}`;
  if (at === undefined) return head;
  const near = faults.filter(({ from, to }) => from < at + HISTORY_MS && to > at - HISTORY_MS);
  const lines = near.map(({ number, kind, target, from, to }) => {
    return `    ${seconds(from - at)} to ${seconds(to - at)} s: fault ${number}, ${kind} of ${target}`;
  });
  return [`${head}, at ${new Date(at).toISOString()}; faults around it:`, ...lines].join('\n');
}
