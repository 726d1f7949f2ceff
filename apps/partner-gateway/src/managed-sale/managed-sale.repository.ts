import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import type { SalePosition } from '../paging/sale-time-cursors';
import { ALL_PARTNERS } from '@tandem/database';
import type { Sale } from '../sale/sale.entity';
import type { SaleTotal } from './managed-sale.dto';
import type { TimedSaleFilter, TotalsFilter } from './managed-sale.rules';
import { pageOf, totalsOf } from './managed-sale.statements';

/** A sale with its position in the list. */
export type TimedSale = Sale & SalePosition;

/** Reads the sales of all partners by the time of the sale, and their totals. */
@Injectable()
export class ManagedSaleRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * Returns a page of sales, newest first. Unless the filter has a reference, the cost depends neither on the number of sales nor on the
   * position of the page.
   *
   * @param found the partners that match the filter's search
   * @param after null starts at the newest sale
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

  /** Returns totals, which are added up from the statistics. No sales are read. */
  findTotals({ environment, partnerId, status, from, to }: TotalsFilter): Promise<SaleTotal[]> {
    const values = [partnerId ?? ALL_PARTNERS, environment, from, to ?? 'infinity'];
    return this.manager.query<SaleTotal[]>(totalsOf(status), values);
  }
}
