import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import type { SalePosition } from '../paging/sale-time-cursors';
import { ALL_PARTNERS } from '@tandem/database';
import type { Sale } from '../sale/sale.entity';
import type { SaleTotal } from './managed-sale.dto';
import type { TimedSaleFilter, TotalsFilter } from './managed-sale.rules';
import { pageOf, totalsOf } from './managed-sale.statements';

/** A sale with its position in a list that is sorted by the time of the sale. */
export type TimedSale = Sale & SalePosition;

/** Reads the sales of all partners, sorted by the time of the sale, and the totals of sales. */
@Injectable()
export class ManagedSaleRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * Returns a page of sales, newest first. Unless the filter has a `refId` or a `search`, the cost of the query depends neither on the
   * number of sales nor on how far the page is from the start.
   *
   * @param found the partners that match the filter's search
   * @param after the last sale of the previous page; null for the first page
   */
  findPage(
    filter: TimedSaleFilter,
    found: readonly string[],
    after: SalePosition | null,
    limit: number,
  ): Promise<TimedSale[]> {
    const { environments, statuses, from, to } = filter;
    const until = after ?? { soldAt: to ?? 'infinity', seq: '0' };
    const [statement, values] = pageOf(filter, found);
    const first = [environments, statuses, from ?? '-infinity', until.soldAt, until.seq, limit];
    return this.manager.query<TimedSale[]>(statement, [...first, ...values]);
  }

  /** Returns totals by currency. The totals are added up from the table `sale_statistic`, so no sales are read. */
  findTotals({ environment, partnerId, status, from, to }: TotalsFilter): Promise<SaleTotal[]> {
    const values = [partnerId ?? ALL_PARTNERS, environment, from, to ?? 'infinity'];
    return this.manager.query<SaleTotal[]>(totalsOf(status), values);
  }
}
