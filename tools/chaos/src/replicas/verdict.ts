import { isClean, type Verdict } from '../verdict';

/** What came of a rolling restart under load. */
export interface RollingVerdict {
  readonly sales: Verdict;
  /** Requests that got no answer, or another one than a success. */
  readonly failures: readonly string[];
  readonly coupons: { readonly expected: number; readonly found: number };
  readonly deadLetters: number;
  /** Replicas that ended unasked. */
  readonly crashes: number;
  /** Replicas that did not end cleanly when they were asked to. */
  readonly killed: number;
}

/** Each thing that must not have happened, and how often it did. A graceful stop sends no postback a second time either. */
export const mishapsOf = (verdict: RollingVerdict): [what: string, count: number][] => [
  ['requests that failed', verdict.failures.length],
  ['lost sales', verdict.sales.lostSales.length],
  ['lost postbacks', verdict.sales.lostPostbacks.length],
  ['acted on twice', verdict.sales.actedOnTwice.length],
  ['requests repeated under their webhook-id', verdict.sales.repeatedRequests],
  ['unknown postbacks', verdict.sales.unknown.length],
  ['coupons more or less than were answered', Math.abs(verdict.coupons.found - verdict.coupons.expected)],
  ['dead letters', verdict.deadLetters],
  ['replicas that crashed', verdict.crashes],
  ['replicas that did not end well by themselves', verdict.killed],
];

/** Whether no caller could notice that everything was restarted. */
export const isUnnoticed = (verdict: RollingVerdict): boolean =>
  isClean(verdict.sales) && mishapsOf(verdict).every(([, count]) => count === 0);
