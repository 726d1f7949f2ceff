import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { BUCKET_MS } from '@tandem/database';
import { type FieldProblem, timeOf } from '@tandem/http-api';
import { ALL_SALE_STATUSES, type Sale, SALE_STATUSES, type SaleStatus } from '../sale/sale.entity';
import { toSaleCompleted } from '../sale/sale.rules';
import type { ExportQuery, SalesQuery } from './managed-sale.dto';

/** The filter of a list that is sorted by the time of the sale. A property that is null does not restrict the list. */
export interface TimedSaleFilter {
  readonly environments: readonly Environment[];
  readonly statuses: readonly SaleStatus[];
  readonly partnerId: string | null;
  readonly oid: string | null;
  readonly refId: string | null;
  readonly search: string | null;
  readonly from: Date | null;
  /** The end of the range of sale times; a sale at exactly this time is not included. */
  readonly to: Date | null;
}

/** The statuses that a sale can have after it has qualified. A sale can also be refunded or charged back without having qualified. */
const COUNTED = ['qualified', 'revoked', 'refunded', 'charged_back'] as const;
export type CountedStatus = (typeof COUNTED)[number];

/** Selects the sales to add up. A `status` of null stands for all sales that have qualified. */
export interface TotalsFilter {
  readonly environment: Environment;
  readonly partnerId: string | null;
  readonly status: CountedStatus | null;
  readonly from: Date;
  /** The end of the range of sale times; a sale at exactly this time is not included. Null for no end. */
  readonly to: Date | null;
}

const DAY_MS = 86_400_000;
/**
 * The longest range for which totals are returned. It is limited because the statistics have rows for each quarter of an hour: a day with
 * sales in every quarter of an hour has at least 96 rows.
 */
const MAX_TOTAL_MS = 366 * DAY_MS;

/**
 * Returns whether the list of a query is sorted by the time of the sale, because the query has at least one of these four filters. All
 * other lists are sorted by arrival, as in older versions, which did not have these filters.
 */
export const isTimed = ({ environment, from, to, search }: Partial<SalesQuery>): boolean =>
  [environment, from, to, search].some((one) => one !== undefined);

/** Returns a problem for each combination of filters that is not allowed. Each filter must already be valid on its own. */
export function problemsOf({
  status,
  partnerId,
  oid,
  refId,
  search,
  ...query
}: ExportQuery & Partial<SalesQuery>): FieldProblem[] {
  const { from, to } = query;
  const named = [partnerId, oid, refId].some((one) => one !== undefined);
  const isUnattributed = status === 'unattributed' && isTimed({ search, ...query });
  return [
    ...(from !== undefined && to !== undefined && timeOf(from) >= timeOf(to)
      ? [{ field: 'to', message: 'to must be later than from' }]
      : []),
    ...(search !== undefined && named
      ? [{ field: 'search', message: 'search cannot be combined with partnerId, oid or refId' }]
      : []),
    ...(isUnattributed
      ? [{ field: 'status', message: 'status=unattributed cannot be combined with environment, from, to or search' }]
      : []),
  ];
}

/** Returns the filter of a list or an export. @param query a query for which {@link problemsOf} returns no problem */
export function timedFilterOf(query: ExportQuery & Partial<SalesQuery>): TimedSaleFilter {
  const { status, partnerId = null, oid = null, refId = null, search = null, environment, from, to } = query;
  return {
    environments: environment === undefined ? ENVIRONMENTS : [environment],
    statuses: status !== undefined ? [status] : oid === null ? SALE_STATUSES : ALL_SALE_STATUSES,
    partnerId,
    oid,
    refId,
    search,
    from: from === undefined ? null : timeOf(from),
    to: to === undefined ? null : timeOf(to),
  };
}

/**
 * Returns the filter of the totals.
 *
 * @returns null when the query does not request totals, when the statistics cannot answer exactly this filter, or when the range is too long
 */
export function totalsFilterOf(query: SalesQuery, now: Date): TotalsFilter | null {
  const { status = null, environment, partnerId = null, oid, refId, search } = query;
  if (query.totals !== 'true' || environment === undefined || query.from === undefined) return null;
  if ([oid, refId, search].some((one) => one !== undefined)) return null;
  if (status !== null && !isCounted(status)) return null;
  const [from, to] = [timeOf(query.from), query.to === undefined ? null : timeOf(query.to)];
  if (!isQuarter(from) || (to !== null && !isQuarter(to))) return null;
  if (Number(to ?? now) - Number(from) > MAX_TOTAL_MS) return null;
  return { environment, partnerId, status, from, to };
}

/** The statuses of the sales that the JSON lines export reads. The export omits refunded and charged-back sales that never qualified. */
export const EXPORTED: readonly SaleStatus[] = COUNTED;

/** Returns a sale as the JSON lines export contains it: the fields of `sale.completed`, and the sale's current state. */
export const exportedOf = (sale: Sale) => ({
  ...toSaleCompleted(sale),
  sequence: sale.version,
  status: sale.status,
  revokedAt: sale.revokedAt,
  revokeReason: sale.revokeReason,
  closedAt: sale.status === 'refunded' || sale.status === 'charged_back' ? sale.closedAt : null,
});

const isCounted = (status: SaleStatus): status is CountedStatus => (COUNTED as readonly string[]).includes(status);
const isQuarter = (time: Date): boolean => Number(time) % BUCKET_MS === 0;
