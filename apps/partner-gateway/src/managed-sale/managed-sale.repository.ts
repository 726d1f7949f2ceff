import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import type { SalePosition } from '../paging/sale-time-cursors';
import { ALL_PARTNERS } from '@tandem/database';
import type { Sale } from '../sale/sale.entity';
import type { SaleTotal } from './managed-sale.dto';
import type { TimedSaleFilter, TotalsFilter } from './managed-sale.rules';
import { pageOf, totalsOf } from './managed-sale.statements';

/** A sale with the position that it is listed at. */
export type TimedSale = Sale & SalePosition;

/** Reads the sales of all partners by the time of the sale, and their totals. */
@Injectable()
export class ManagedSaleRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * A page of sales, newest first. Without a reference its cost grows neither with their number nor with depth.
   *
   * @param found the partners that the filter's search finds
   * @param after null: from the newest
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

  /** Adds up statistics: no sale is read. */
  findTotals({ environment, partnerId, status, from, to }: TotalsFilter): Promise<SaleTotal[]> {
    const values = [partnerId ?? ALL_PARTNERS, environment, from, to ?? 'infinity'];
    return this.manager.query<SaleTotal[]>(totalsOf(status), values);
  }
}
