import { Injectable } from '@nestjs/common';
import type { Environment } from '@tandem/contracts';
import { ConcurrentUpdateError, queryPrepared, runnerOf } from '@tandem/database';
import type { Page } from '@tandem/http-api';
import { type EntityManager, In } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import type { BuyerTime, CountedSale } from './fraud.rules';
import { ALL_SALE_STATUSES, Sale, SALE_STATUSES, type SaleStatus } from './sale.entity';
import { FIND_SALES_AROUND, LOCK_BUYERS, LOCK_SALES, SAVE_SALES } from './sale.statements';

/** Which sales a manager wants to see; what is left out does not matter. */
export interface SaleFilter {
  status?: SaleStatus;
  partnerId?: string;
  oid?: string;
  /** The partner's own reference. */
  refId?: string;
}

@Injectable()
export class SaleRepository {
  constructor(private readonly pages: Pages) {}

  /**
   * Locks what is known of these subscriptions: all that happens to one subscription happens one after the other, whichever
   * process and event it comes from. All who lock several do so in the order of their ids.
   *
   * @returns the sales that exist, by their ids; without what only the database writes
   */
  async lockSales(manager: EntityManager, oids: ReadonlySet<string>): Promise<Map<string, Sale>> {
    const rows = await queryPrepared<Sale>(runnerOf(manager), 'sales-lock', LOCK_SALES, [[...oids]]);
    return new Map(rows.map((sale) => [sale.oid, sale]));
  }

  async findForUpdate(manager: EntityManager, oid: string): Promise<Sale | null> {
    return manager.findOne(Sale, { where: { oid }, lock: { mode: 'pessimistic_write' } });
  }

  /** Null also for another partner's sale, and for one of the other environment. */
  async findOwnForUpdate(
    manager: EntityManager,
    owner: { partnerId: string; environment: Environment },
    oid: string,
  ): Promise<Sale | null> {
    const { partnerId, environment } = owner;
    return manager.findOne(Sale, { where: { oid, partnerId, environment }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Saves sales by one statement: those that are locked in this transaction, and new ones.
   *
   * @param locked ids of the sales that were found and locked
   * @throws ConcurrentUpdateError when another transaction has meanwhile made one that was not found; nothing of that is overwritten
   */
  async save(manager: EntityManager, sales: readonly Sale[], locked: Iterable<string>): Promise<void> {
    if (sales.length === 0) return;
    const saved = await queryPrepared(runnerOf(manager), 'sales-save', SAVE_SALES, [
      JSON.stringify(sales),
      [...locked],
    ]);
    if (saved.length !== sales.length) throw new ConcurrentUpdateError('another transaction has made the same sale');
  }

  /**
   * The counted sales of buyers that are less than an hour from these times; of each time the `limit` nearest before it and the
   * `limit` nearest after it, which is all that a limit of `limit` sales can depend on. It waits until no other transaction decides
   * sales of these buyers, and keeps others waiting until this transaction ends: sales of one buyer are counted and decided one after
   * the other.
   *
   * @param except ids of sales that are not looked for
   */
  async lockAndFindSalesAround(
    manager: EntityManager,
    times: readonly BuyerTime[],
    { limit, except }: { limit: number; except: Iterable<string> },
  ): Promise<CountedSale[]> {
    if (times.length === 0) return [];
    const hashes = times.map(({ emailHash }) => emailHash);
    // The lock is a statement of its own, so that the snapshot of the one that counts is taken when all that was decided before is
    // committed. Sent together, they run in this order.
    const locked = queryPrepared(runnerOf(manager), 'buyers-lock', LOCK_BUYERS, [[...new Set(hashes)]]);
    const found = queryPrepared<CountedSale>(runnerOf(manager), 'sales-around', FIND_SALES_AROUND, [
      hashes,
      times.map(({ environment }) => environment),
      times.map(({ at }) => at),
      [...except],
      limit,
    ]);
    const [sales] = await Promise.all([found, locked]);
    return sales;
  }

  /** Without a status: partners' sales; of one subscription also what is no partner's sale. */
  findPage({ status, partnerId, oid, refId: sharedId }: SaleFilter, query: PageQuery): Promise<Page<Sale>> {
    const statuses = oid === undefined ? SALE_STATUSES : ALL_SALE_STATUSES;
    const given = Object.entries({ partnerId, oid, sharedId }).filter(([, value]) => value !== undefined);
    const where = { ...Object.fromEntries(given), status: status ?? In([...statuses]) };
    return this.pages.find(Sale, ['sales', status, partnerId, oid, sharedId], where, query);
  }
}
