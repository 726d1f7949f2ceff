import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { ALL_PARTNERS, queryPrepared, recountStatistics } from '@tandem/database';
import { EntityManager } from 'typeorm';
import type { AmountName, CountName } from '../sale/sale-count.rules';
import { RECOUNT } from '../sale/sale-statistic.statements';

/** Selects the sales to count. */
export interface Counted {
  /** Null: all partners together. */
  readonly partnerId: string | null;
  readonly environment: Environment;
}

/** The figures of a period in one currency; `period` is its number, from 1, and null in the totals of all periods. */
export type FigureRow = Readonly<
  { period: number | null; currency: string; netAmount: string } & Record<CountName, number> &
    Record<AmountName, string>
>;

/** Reads and corrects the statistics that are written with the sales. */
@Injectable()
export class StatisticsRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** @param starts the start of each period, and the end of the last one */
  find({ partnerId, environment }: Counted, starts: readonly Date[]): Promise<FigureRow[]> {
    const values = [partnerId ?? ALL_PARTNERS, environment, starts.slice(0, -1), starts.at(-1)];
    return queryPrepared(this.manager.dataSource, 'sale-figures', FIGURES, values);
  }

  /**
   * Counts the sales of a partner again, in a transaction.
   *
   * @param partnerId null: recomputes the totals of all partners from the rows of each partner
   * @returns how many rows differed, and were corrected
   * @throws RecountTooLongError
   */
  recount(manager: EntityManager, partnerId: string | null): Promise<number> {
    return recountStatistics(manager, RECOUNT, partnerId === null ? null : [partnerId]);
  }
}

const total = (column: string): string => `coalesce(sum(${column}), 0)`;
const count = (column: string, name = column): string => `${total(column)}::float8 as "${name}"`;
const money = (sum: string, name: string): string => `round(${sum}, 2)::text as "${name}"`;
const NET = ['revoked_amount', 'refunded_amount', 'charged_back_amount']
  .map((column) => ` - ${total(column)}`)
  .join('');

/** $1, $2: the partner and the environment; $3: the start of each period; $4: the end of the last one. */
const FIGURES = `
  select width_bucket(bucket, $3::timestamptz[]) as period, currency, ${count('sales')}, ${count('held')}, ${count('revoked')},
    ${count('refunded')}, ${count('charged_back', 'chargedBack')}, ${money(total('amount'), 'amount')},
    ${money(total('revoked_amount'), 'revokedAmount')}, ${money(total('refunded_amount'), 'refundedAmount')},
    ${money(total('charged_back_amount'), 'chargedBackAmount')}, ${money(`${total('amount')}${NET}`, 'netAmount')}
  from sale_statistic
  where partner_id = $1 and environment = $2 and bucket >= ($3::timestamptz[])[1] and bucket < $4
  group by grouping sets ((1, currency), (currency))
  having (${total('sales')}, ${total('held')}) <> (0, 0)
  order by period nulls first, currency`;
