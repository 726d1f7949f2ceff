import type { Arrival } from './sink';
import type { Purchase } from './purchases';

/** A sale in the platform's tables. */
export interface SaleRow {
  oid: string;
  state: string;
  sales: number;
}

/** All findings and counts at the end of a run. */
export interface Verdict {
  accepted: number;
  sales: number;
  postbacks: number;
  /** Accepted webhooks that have no qualified sale. */
  lostSales: string[];
  /** Accepted webhooks that have no postback. */
  lostPostbacks: string[];
  /** Sales that were created more than once, or whose postbacks have more than one webhook-id. */
  actedOnTwice: string[];
  /** Postbacks that belong to no purchase. */
  unknown: string[];
  /**
   * The number of repeated postbacks: all requests for a sale except its first one. A repeated postback with the same
   * webhook-id is allowed, because delivery is at least once.
   */
  repeatedRequests: number;
}

/** Compares the accepted purchases with the sales that are stored, and with the postbacks that the partner received. */
export function judge(
  accepted: readonly Purchase[],
  sales: readonly SaleRow[],
  arrivals: ReadonlyMap<string, Arrival>,
): Verdict {
  const rows = new Map(sales.map((sale) => [sale.oid, sale]));
  const known = new Set(accepted.map(({ oid }) => oid));
  return {
    accepted: accepted.length,
    sales: sales.length,
    postbacks: arrivals.size,
    lostSales: accepted.filter(({ oid }) => rows.get(oid)?.state !== 'qualified').map(({ oid }) => oid),
    lostPostbacks: accepted.filter(({ oid }) => !arrivals.has(oid)).map(({ oid }) => oid),
    actedOnTwice: [
      ...sales.filter((sale) => sale.sales > 1).map(({ oid }) => oid),
      ...[...arrivals].filter(([, { webhookIds }]) => webhookIds.size > 1).map(([oid]) => oid),
    ],
    unknown: [...arrivals.keys()].filter((oid) => !known.has(oid)),
    repeatedRequests: [...arrivals.values()].reduce((sum, { requests }) => sum + requests - 1, 0),
  };
}

export const isClean = (verdict: Verdict): boolean =>
  [verdict.lostSales, verdict.lostPostbacks, verdict.actedOnTwice, verdict.unknown].every((list) => list.length === 0);
