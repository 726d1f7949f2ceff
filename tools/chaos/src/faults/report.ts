import type { ChaosOptions } from '../../options';
import { table } from '../report';
import type { LastArrival } from './last-arrival';
import type { PlannedFault } from './plan';
import type { Gap, ServiceLog } from './service-log';
import type { FaultsVerdict, Violation } from './verdict';

/** A fault that was injected, with the times when it began and was repaired. */
export interface InjectedFault extends PlannedFault {
  readonly from: number;
  readonly to: number;
}

/** The figures of one kind of fault. */
export interface KindFigures {
  readonly kind: string;
  readonly times: number;
  /** The longest time from the start of a fault of this kind to the end of its repair, ms. */
  readonly longestMs: number;
  /** The longest time in which a fault of this kind made all attempts of an operation fail. */
  readonly longestGap?: Gap;
}

/** The figures of a run that docs/reliability.md shows. */
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
  /** Measured only with `--write`, for docs/reliability.md; otherwise null. */
  readonly lastArrival: LastArrival | null;
}

/** The faults of a run, and the measurement at its end. */
export interface Course {
  readonly faults: readonly InjectedFault[];
  readonly lastArrival: LastArrival | null;
}

/** How long after its repair a fault may still affect an operation. */
const AFTER_MS = 5_000;
/** How many violations of each kind are shown. */
const SHOWN = 3;
/** The history of a violation shows the faults within this time before and after the violation. */
const HISTORY_MS = 10_000;

export function faultsReport(
  { bus, seed, replicas, faults: planned, write }: ChaosOptions,
  { faults, lastArrival }: Course,
  verdict: FaultsVerdict,
  log: ServiceLog,
): FaultsReport {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
  return {
    command: `npm run chaos -- --faults ${planned} --bus ${bus} --seed ${seed}${replicas === 2 ? '' : ` --replicas ${replicas}`}${write ? ' --write' : ''}`,
    bus,
    seed,
    faults: faults.length,
    acknowledged: verdict.acknowledged,
    requests: log.requests,
    kinds: kinds.map((kind) => figuresOf(kind, faults, log.gaps)),
    lost: verdict.lost.length,
    twice: verdict.twice.length,
    wrong: verdict.wrong.length,
    lastArrival,
  };
}

function figuresOf(kind: string, faults: readonly InjectedFault[], gaps: readonly Gap[]): KindFigures {
  const own = faults.filter((fault) => fault.kind === kind);
  const felt = gaps.filter((gap) => causeOf(gap, faults)?.kind === kind);
  return {
    kind,
    times: own.length,
    longestMs: Math.max(...own.map(({ from, to }) => to - from)),
    longestGap: felt.sort((a, b) => lengthOf(b) - lengthOf(a))[0],
  };
}

const lengthOf = ({ from, to }: Gap): number => to - from;

/**
 * Returns the fault that is reported as the cause of a gap: the fault that overlaps with the largest part of the gap.
 * Here, a fault lasts until 5 s after its repair.
 */
function causeOf(gap: Gap, faults: readonly InjectedFault[]): InjectedFault | undefined {
  const shared = ({ from, to }: InjectedFault): number => Math.min(to + AFTER_MS, gap.to) - Math.max(from, gap.from);
  return faults.filter((fault) => shared(fault) > 0).sort((a, b) => shared(b) - shared(a))[0];
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

/** Formats the figures of a run, and the first violations of each kind with their history. */
export function printVerdict(report: FaultsReport, verdict: FaultsVerdict, faults: readonly InjectedFault[]): string {
  const kinds = table(
    ['fault', 'times', 'longest, with repair, s', 'longest time without a success, s', 'of the operation'],
    report.kinds.map(({ kind, times, longestMs, longestGap }) => [
      ...[kind, String(times), seconds(longestMs)],
      ...(longestGap ? [seconds(lengthOf(longestGap)), longestGap.operation] : ['< 2', '']),
    ]),
  );
  const counts = table(
    ['what', 'count'],
    [
      [
        'acknowledged purchases, refunds, revocations, batches of coupons, users, acts of support',
        String(report.acknowledged),
      ],
      ['other requests of the load', String(report.requests)],
      ['lost', String(report.lost)],
      ['done twice', String(report.twice)],
      ['otherwise wrong', String(report.wrong)],
      ...arrivalRows(report.lastArrival),
    ],
  );
  const violations = (['lost', 'twice', 'wrong'] as const).flatMap((name) =>
    firstOfEach(verdict[name]).map((violation) => historyOf(name, violation, faults)),
  );
  const outcome = violations.length === 0 ? 'chaos passed' : 'chaos FAILED';
  return `\n${kinds}\n\n${counts}\n${violations.join('\n')}\nto repeat the run: ${report.command}\n\n${outcome}`;
}

const arrivalRows = (arrival: LastArrival | null): string[][] =>
  arrival === null
    ? []
    : [
        ['longest wait for the last postback after a kill, s', seconds(arrival.afterKill.sinceFaultMs)],
        ['longest wait for the last postback after a stop, s', seconds(arrival.afterStop.sinceFaultMs)],
        ['  after a kill, since the purchase was acknowledged, s', seconds(arrival.afterKill.sinceAcceptanceMs)],
        ['  after a stop, since the purchase was acknowledged, s', seconds(arrival.afterStop.sinceAcceptanceMs)],
      ];

function firstOfEach(violations: readonly Violation[]): Violation[] {
  const kinds = [...new Set(violations.map(({ what }) => what))];
  return kinds.flatMap((kind) => violations.filter(({ what }) => what === kind).slice(0, SHOWN));
}

function historyOf(name: string, { what, subject, at }: Violation, faults: readonly InjectedFault[]): string {
  const head = `${name}: ${what}: ${subject}`;
  if (at === undefined) return head;
  const near = faults.filter(({ from, to }) => from < at + HISTORY_MS && to > at - HISTORY_MS);
  const lines = near.map(({ number, kind, target, from, to }) => {
    return `    ${seconds(from - at)} to ${seconds(to - at)} s: fault ${number}, ${kind} of ${target}`;
  });
  return [`${head}, at ${new Date(at).toISOString()}; faults shortly before and after:`, ...lines].join('\n');
}
