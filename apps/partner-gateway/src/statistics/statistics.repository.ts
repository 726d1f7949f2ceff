import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { ALL_PARTNERS, queryPrepared, recountStatistics } from '@tandem/database';
import { EntityManager } from 'typeorm';
import type { AmountName, CountName } from '../sale/sale-count.rules';
import { RECOUNT } from '../sale/sale-statistic.statements';

/** Selects the sales whose statistics are read. */
export interface Counted {
  /** Null selects all partners together. */
  readonly partnerId: string | null;
  readonly environment: Environment;
}

/**
 * The figures of a period in one currency. `period` is the number of the period, counted from 1. It is null in the row with the totals of
 * all periods.
 */
export type FigureRow = Readonly<
  { period: number | null; currency: string; netAmount: string } & Record<CountName, number> &
    Record<AmountName, string>
>;

/** The figures of a partner in one currency, and its place among the partners with sales in this currency, counted from 1. */
export type PartnerRow = Readonly<{ rank: number; partnerId: string; partnerName: string } & Omit<FigureRow, 'period'>>;

/** Reads and corrects the statistics in `sale_statistic`, which are written together with the sales. */
@Injectable()
export class StatisticsRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** Returns the figures of consecutive periods, and their totals. @param starts the start of each period, and the end of the last period */
  find({ partnerId, environment }: Counted, starts: readonly Date[]): Promise<FigureRow[]> {
    const values = [partnerId ?? ALL_PARTNERS, environment, starts.slice(0, -1), starts.at(-1)];
    return queryPrepared(this.manager.dataSource, 'sale-figures', FIGURES, values);
  }

  /** Returns the figures of the partners with the highest net amounts in each currency. @param limit the maximum per currency */
  rank(environment: Environment, from: Date, end: Date, limit: number): Promise<PartnerRow[]> {
    return queryPrepared(this.manager.dataSource, 'partner-ranking', RANKING, [environment, from, end, limit]);
  }

  /**
   * Recounts the sales of a partner, in the transaction of `manager`.
   *
   * @param partnerId null recomputes the totals of all partners from the rows of each partner
   * @returns the number of rows that were wrong and have been corrected
   * @throws RecountTooLongError
   */
  recount(manager: EntityManager, partnerId: string | null): Promise<number> {
    return recountStatistics(manager, RECOUNT, partnerId === null ? null : [partnerId]);
  }
}

const COLUMNS = [
  'sales',
  'held',
  'revoked',
  'refunded',
  'charged_back',
  'amount',
  'revoked_amount',
  'refunded_amount',
  'charged_back_amount',
] as const;

const total = (column: string): string => `sum(${column})`;
const count = (column: string, name = column): string => `${total(column)}::float8 as "${name}"`;
const money = (sum: string, name: string): string => `round(${sum}, 2)::text as "${name}"`;
const NET = `${total('amount')}${['revoked_amount', 'refunded_amount', 'charged_back_amount'].map((column) => ` - ${total(column)}`).join('')}`;

/** The select list that computes the figures from a group of rows. */
const FIGURE_COLUMNS = `currency, ${count('sales')}, ${count('held')}, ${count('revoked')},
    ${count('refunded')}, ${count('charged_back', 'chargedBack')}, ${money(total('amount'), 'amount')},
    ${money(total('revoked_amount'), 'revokedAmount')}, ${money(total('refunded_amount'), 'refundedAmount')},
    ${money(total('charged_back_amount'), 'chargedBackAmount')}, ${money(NET, 'netAmount')}`;

const SUMS = COLUMNS.map((name) => `sum(${name}) as ${name}`).join(', ');

/**
 * $1, $2: the partner and the environment; $3: the start of each period; $4: the end of the last period. The totals are computed from the
 * sums of the periods, so that the many rows of the table are added up only once.
 */
const FIGURES = `
  with of_period as materialized (
    select width_bucket(bucket, $3::timestamptz[]) as period, currency, ${SUMS}
    from sale_statistic
    where partner_id = $1 and environment = $2 and bucket >= ($3::timestamptz[])[1] and bucket < $4
    group by 1, 2)
  select period, ${FIGURE_COLUMNS}
  from of_period
  group by grouping sets ((period, currency), (currency))
  having (${total('sales')}, ${total('held')}) <> (0, 0)
  order by period nulls first, currency`;

/**
 * $1: the environment; $2 and $3: the start and the end of the range; $4: the maximum number of partners per currency. To rank the partners,
 * the query reads all rows of the range. It adds up the other figures only for the partners that it returns.
 */
const RANKING = `
  with of_partner as (
    select partner_id, currency, ${NET} as net, ${total('sales')} as sales
    from sale_statistic
    where partner_id <> '${ALL_PARTNERS}' and environment = $1 and bucket >= $2 and bucket < $3
    group by partner_id, currency),
  ranked as (
    select partner_id, currency, row_number() over (partition by currency order by net desc, sales desc, partner_id)::int as rank
    from of_partner where sales > 0)
  select rank, id as "partnerId", name as "partnerName", ${FIGURE_COLUMNS}
  from ranked join partner on id = partner_id join sale_statistic using (partner_id, currency)
  where rank <= $4 and environment = $1 and bucket >= $2 and bucket < $3
  group by rank, id, name, currency
  order by currency, rank`;
