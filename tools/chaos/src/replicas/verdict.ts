import { isClean, type Verdict } from '../verdict';

/** The result of a rolling restart or an upgrade under load. */
export interface RollingVerdict {
  readonly sales: Verdict;
  /** Requests that got no answer, or an answer other than a success. */
  readonly failures: readonly string[];
  readonly coupons: { readonly expected: number; readonly found: number };
  readonly deadLetters: number;
  /** How often a replica ended unexpectedly. */
  readonly crashes: number;
  /** Replicas that did not end cleanly when they were stopped. */
  readonly killed: number;
}

/**
 * Returns each kind of failure, and how often it occurred. In these runs, even a repeated postback is a failure,
 * because every stop is graceful.
 */
export const mishapsOf = (verdict: RollingVerdict): [what: string, count: number][] => [
  ['requests that failed', verdict.failures.length],
  ['lost sales', verdict.sales.lostSales.length],
  ['lost postbacks', verdict.sales.lostPostbacks.length],
  ['acted on twice', verdict.sales.actedOnTwice.length],
  ['requests repeated under their webhook-id', verdict.sales.repeatedRequests],
  ['unknown postbacks', verdict.sales.unknown.length],
  [
    'difference between coupons returned to callers and coupons stored',
    Math.abs(verdict.coupons.found - verdict.coupons.expected),
  ],
  ['dead letters', verdict.deadLetters],
  ['replicas that crashed', verdict.crashes],
  ['replicas that did not end cleanly when they were stopped', verdict.killed],
];

/** Returns whether no caller noticed the restart or the upgrade. */
export const isUnnoticed = (verdict: RollingVerdict): boolean =>
  isClean(verdict.sales) && mishapsOf(verdict).every(([, count]) => count === 0);
