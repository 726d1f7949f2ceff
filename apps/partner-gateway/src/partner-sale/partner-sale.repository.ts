import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { queryPrepared } from '@tandem/database';
import { EntityManager } from 'typeorm';
import type { SalePosition } from '../paging/sale-time-cursors';
import { type Sale, SALE_STATUSES } from '../sale/sale.entity';
import { hasReference, SALE_COLUMNS } from '../sale/sale.statements';
import type { PartnerSaleFilter } from './partner-sale.rules';

/** The partner and the environment of the caller's token. A test token sees only test sales. */
export interface SaleOwner {
  readonly partnerId: string;
  readonly environment: Environment;
}

/** A partner's sale, with its position in the list that is sorted by the time of the sale. */
export type ListedSale = Sale & SalePosition;

/** Reads the sales of one partner. */
@Injectable()
export class PartnerSaleRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * Reads a page of sales, newest first by the time of the sale. Unless the filter has a `refId`, the cost of the query depends neither on
   * the number of sales nor on how far the page is from the start.
   *
   * @param after the last sale of the previous page; null for the first page
   */
  findPage(
    { partnerId, environment }: SaleOwner,
    { status, refId, from, to }: PartnerSaleFilter,
    after: SalePosition | null,
    limit: number,
  ): Promise<ListedSale[]> {
    const statuses = status === null ? SALE_STATUSES : [status];
    const until = after ?? { soldAt: to ?? 'infinity', seq: '0' };
    const values = [partnerId, environment, statuses, from ?? '-infinity', until.soldAt, until.seq, limit];
    // A query with a reference is not a prepared statement, so that Postgres plans it for the given value. Most references have few sales,
    // but all sales of a partner may have the same reference: these cases need different plans.
    return refId === null
      ? queryPrepared(this.manager.dataSource, 'partner-sales', PAGE, values)
      : this.manager.query<ListedSale[]>(PAGE_OF_REFERENCE, [...values, refId]);
  }

  /** Finds a sale by its id. @returns null for an unknown sale, and for a sale of another partner or of the other environment */
  async find({ partnerId, environment }: SaleOwner, oid: string): Promise<Sale | null> {
    const values = [oid, partnerId, environment];
    const [sale] = await queryPrepared<Sale>(this.manager.dataSource, 'partner-sale', ONE, values);
    return sale ?? null;
  }
}

const COLUMNS = `${SALE_COLUMNS}, seq`;

const ONE = `select ${SALE_COLUMNS} from sale where oid = $1 and partner_id = $2 and environment = $3`;

/** $1: the partner; $2: the environment; $4: the earliest time of sale; $5, $6: a time and a `seq`: only older sales are returned. */
const WITHIN = `s.partner_id = $1 and s.environment = $2 and s.sold_at >= $4 and (s.sold_at, s.seq) < ($5, $6::bigint)`;

const NEWEST = 'order by s.sold_at desc, s.seq desc limit $7';

/**
 * Reads one page of each wanted status and merges these pages, so that one index serves lists with and without a filter by status. For each
 * status, the query reads at most as many index entries as a page has rows.
 */
const PAGE = `
  select s.* from unnest($3::text[]) as wanted (status)
  cross join lateral (select ${COLUMNS} from sale s where ${WITHIN} and s.status = wanted.status ${NEWEST}) s
  order by s."soldAt" desc, s.seq desc limit $7`;

const PAGE_OF_REFERENCE = `
  select ${COLUMNS} from sale s
   where ${WITHIN} and s.status = any ($3) and ${hasReference('s.shared_id', '$8')} ${NEWEST}`;
