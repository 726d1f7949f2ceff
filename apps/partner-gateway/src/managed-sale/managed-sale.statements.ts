import { hasReference, SALE_COLUMNS } from '../sale/sale.statements';
import type { CountedStatus, TimedSaleFilter } from './managed-sale.rules';

/**
 * The parameters of a page. $1, $2: environments and statuses; $3: the earliest time of sale; $4, $5: a time and a `seq`: only sales older
 * than this position are returned; $6: the limit.
 */
const WITHIN = 's.sold_at >= $3 and (s.sold_at, s.seq) < ($4, $5::bigint)';
const OF_STATE = 's.environment = any ($1) and s.status = any ($2)';
const NEWEST = 'order by s.sold_at desc, s.seq desc limit $6';
const KEY = 's.oid, s.sold_at, s.seq';

/**
 * Finds sales by environment and status, and by partner if `partners` is given. For each combination of these values, the query reads at
 * most as many index entries as the page has rows.
 */
const byState = (partners: string | null): string => `
  select ${KEY}
    from unnest($1::text[]) as e (environment) cross join unnest($2::text[]) as t (status)
    ${partners === null ? '' : `cross join unnest(${partners}::text[]) as p (id)`}
    cross join lateral (
      select ${KEY} from sale s
       where s.environment = e.environment and s.status = t.status and ${WITHIN}
         and ${partners === null ? 's.partner_id is not null' : 's.partner_id = p.id'} ${NEWEST}) s`;

/**
 * Finds a row of `sale` by its `oid`. The filter by environment also keeps a row without an environment, that is, a row that is not a
 * partner's sale.
 */
const byOid = (oid: string): string => `
  select ${KEY} from sale s
   where s.oid = ${oid} and coalesce(s.environment = any ($1), true) and s.status = any ($2) and ${WITHIN}`;

const byReference = (refId: string): string =>
  `(select ${KEY} from sale s
     where ${hasReference('s.shared_id', refId)} and s.shared_id <> '' and ${OF_STATE} and ${WITHIN}`;

/**
 * Returns the statement for a page of sales in the order of the time of the sale. A search is a `union` of three subqueries, by `oid`, by
 * reference and by partner. Each subquery uses its own index, and the `union` removes duplicates.
 *
 * @param found the partners that match the search
 * @returns the statement, and the values of $7 and the following parameters
 */
export function pageOf(
  { partnerId, oid, refId, search }: TimedSaleFilter,
  found: readonly string[],
): readonly [statement: string, values: readonly unknown[]] {
  if (search !== null) {
    const ways = [byOid('$7'), `${byReference('$7')} ${NEWEST})`, byState('$8')];
    return [page(ways.join('\n  union\n  ')), [search, found]];
  }
  if (oid !== null) {
    const more = 'and ($7::text is null or s.partner_id = $7) and ($8::text is null or s.shared_id = $8)';
    return [page(`${byOid('$9')} ${more}`), [partnerId, refId, oid]];
  }
  if (refId !== null) {
    return [page(`${byReference('$8')} and ($7::text is null or s.partner_id = $7) ${NEWEST})`), [partnerId, refId]];
  }
  return partnerId === null ? [page(byState(null)), []] : [page(byState('$7')), [[partnerId]]];
}

const page = (keys: string): string => `
  with found as (select * from (${keys}) s ${NEWEST})
  select ${SALE_COLUMNS}, seq from sale join found using (oid, sold_at, seq)
  order by sold_at desc, seq desc`;

const minus = (columns: readonly string[]): string => columns.join(' - ');
const LOST = ['revoked', 'refunded', 'charged_back'] as const;

/**
 * The columns of `sale_statistic` to add up for each status. `sales` and `amount` also include the sales that were revoked, refunded or
 * charged back later.
 */
const COUNT_AND_AMOUNT: Readonly<Record<CountedStatus | 'all', readonly [count: string, amount: string]>> = {
  all: ['sales', 'amount'],
  qualified: [minus(['sales', ...LOST]), minus(['amount', ...LOST.map((status) => `${status}_amount`)])],
  revoked: ['revoked', 'revoked_amount'],
  refunded: ['refunded', 'refunded_amount'],
  charged_back: ['charged_back', 'charged_back_amount'],
};

/** Returns the statement that adds up sales. $1: the partner; $2: the environment; $3, $4: the start and the exclusive end of the range. */
export function totalsOf(status: CountedStatus | null): string {
  const [count, amount] = COUNT_AND_AMOUNT[status ?? 'all'];
  return `
    select currency, sum(${count})::float8 as count, round(sum(${amount}), 2)::text as amount
      from sale_statistic where partner_id = $1 and environment = $2 and bucket >= $3 and bucket < $4
     group by currency having sum(${count}) <> 0 order by currency`;
}
