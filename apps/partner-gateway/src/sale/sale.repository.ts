import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { ConcurrentUpdateError, queryPrepared, runnerOf } from '@tandem/database';
import type { Page } from '@tandem/http-api';
import { EntityManager, In, Raw } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import type { BuyerTime, CountedSale } from './fraud.rules';
import { ALL_SALE_STATUSES, Sale, SALE_STATUSES, type SaleStatus } from './sale.entity';
import { countChanges, type SaleChange } from './sale-count.rules';
import { FIND_SALES_AROUND, hasReference, LOCK_BUYERS, LOCK_SALES, SAVE_SALES } from './sale.statements';

/** The filters of a manager's list of sales. */
export interface SaleFilter {
  status?: SaleStatus;
  partnerId?: string;
  oid?: string;
  /** The partner's own reference. */
  refId?: string;
}

@Injectable()
export class SaleRepository {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly pages: Pages,
  ) {}

  /**
   * Reads and locks the existing sales of these subscriptions, so that changes of a subscription run one after another, also across
   * processes. Every caller locks the sales in the order of their ids.
   *
   * @returns the existing sales by id, without the columns that only the database writes
   */
  async lockSales(manager: EntityManager, oids: ReadonlySet<string>): Promise<Map<string, Sale>> {
    const rows = await queryPrepared<Sale>(runnerOf(manager), 'sales-lock', LOCK_SALES, [[...oids]]);
    return new Map(rows.map((sale) => [sale.oid, sale]));
  }

  /** Finds a sale by its id, even if it is not attributed to a partner. */
  find(oid: string): Promise<Sale | null> {
    return this.manager.findOneBy(Sale, { oid });
  }

  async findForUpdate(manager: EntityManager, oid: string): Promise<Sale | null> {
    return manager.findOne(Sale, { where: { oid }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Finds and locks a sale of the given partner and environment.
   *
   * @returns null for an unknown sale, and for a sale of another partner or of the other environment
   */
  async findOwnForUpdate(
    manager: EntityManager,
    owner: { partnerId: string; environment: Environment },
    oid: string,
  ): Promise<Sale | null> {
    const { partnerId, environment } = owner;
    return manager.findOne(Sale, { where: { oid, partnerId, environment }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Saves changed sales and updates the statistics, in one statement. The transaction must already have locked the sales that existed
   * before the change.
   *
   * @throws ConcurrentUpdateError when another transaction has created one of the sales since this transaction locked the existing sales.
   * The sale of the other transaction is not overwritten
   */
  async save(manager: EntityManager, changes: readonly SaleChange[]): Promise<void> {
    if (changes.length === 0) return;
    const saved = await queryPrepared(runnerOf(manager), 'sales-save', SAVE_SALES, [
      JSON.stringify(changes.map(({ after }) => after)),
      changes.flatMap(({ before }) => before?.oid ?? []),
      JSON.stringify(countChanges(changes)),
    ]);
    if (saved.length !== changes.length)
      throw new ConcurrentUpdateError('another transaction has created the same sale');
  }

  /**
   * Reads the sales that count for the hourly limit and are less than an hour from the given times. For each time, reads the `limit`
   * nearest sales at or before that time, and the `limit` nearest sales after that time. More distant sales cannot change whether an hour
   * that contains the time has more than `limit` sales. Also locks the buyers until this transaction ends, so that only one transaction at a
   * time counts and decides the sales of a buyer.
   *
   * @param except the ids of sales to leave out
   */
  async lockAndFindSalesAround(
    manager: EntityManager,
    times: readonly BuyerTime[],
    { limit, except }: { limit: number; except: Iterable<string> },
  ): Promise<CountedSale[]> {
    if (times.length === 0) return [];
    const hashes = times.map(({ emailHash }) => emailHash);
    // The lock is a separate statement, so that the snapshot of the counting statement is taken only after all earlier decisions have been
    // committed. The two statements are sent together, and run in this order.
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

  /**
   * Returns a page of sales, newest first. Without a filter by status, the page contains only partners' sales. There is one exception: a
   * filter by the subscription's id also finds a row with the status `unattributed`.
   *
   * @throws InvalidCursorError for an invalid cursor, or one that was issued for other filters
   */
  findPage({ status, partnerId, oid, refId }: SaleFilter, query: PageQuery): Promise<Page<Sale>> {
    const statuses = oid === undefined ? SALE_STATUSES : ALL_SALE_STATUSES;
    const sharedId = refId === undefined ? undefined : Raw((column) => hasReference(column, ':refId'), { refId });
    const given = Object.entries({ partnerId, oid, sharedId }).filter(([, value]) => value !== undefined);
    const where = { ...Object.fromEntries(given), status: status ?? In([...statuses]) };
    return this.pages.find(Sale, ['sales', status, partnerId, oid, refId], where, query);
  }

  /** Counts the held sales. @param most the count stops at this number */
  countHeld(most: number): Promise<number> {
    return this.pages.count(Sale, { status: 'held' }, most);
  }
}
