import { Injectable } from '@nestjs/common';
import { type Page, toPage, ValidationFailedError } from '@tandem/http-api';
import { PartnerGatewayConfig } from '../config';
import { SaleTimeCursors } from '../paging/sale-time-cursors';
import { PartnerRepository } from '../partner/partner.repository';
import { SaleDto } from '../sale/sale.dto';
import type { Sale } from '../sale/sale.entity';
import { SaleRepository } from '../sale/sale.repository';
import type { ListedSale, SalePage, SalesQuery } from './managed-sale.dto';
import { ManagedSaleRepository } from './managed-sale.repository';
import { isTimed, problemsOf, timedFilterOf, totalsFilterOf } from './managed-sale.rules';

/**
 * The maximum number of partners that a search can match. A search that matches more is refused, because each partner adds index scans to
 * the query of every page.
 */
const MAX_PARTNERS = 50;

/** Shows managers the sales of all partners. */
@Injectable()
export class ManagedSaleService {
  private readonly cursors: SaleTimeCursors;

  constructor(
    private readonly sales: SaleRepository,
    private readonly timed: ManagedSaleRepository,
    private readonly partners: PartnerRepository,
    config: PartnerGatewayConfig,
  ) {
    this.cursors = new SaleTimeCursors('sales-by-time', config.CURSOR_SIGNING_KEYS);
  }

  /**
   * Returns a page of sales, newest first.
   *
   * @throws ValidationFailedError for filters that cannot be combined, or a search that too many partners match
   * @throws InvalidCursorError for an invalid cursor, or one that was issued for other filters
   */
  async listSales(query: SalesQuery): Promise<SalePage> {
    const problems = problemsOf(query);
    if (problems.length > 0) throw new ValidationFailedError(problems);
    const wanted = totalsFilterOf(query, new Date());
    const [page, totals] = await Promise.all([
      isTimed(query) ? this.pageByTime(query) : this.sales.findPage(query, query),
      wanted && this.timed.findTotals(wanted),
    ]);
    return { ...page, items: await this.withPartnerNames(page.items), totals };
  }

  private async pageByTime(query: SalesQuery): Promise<Page<Sale>> {
    const { cursor, limit } = query;
    const filter = timedFilterOf(query);
    const list = Object.values(filter);
    const after = cursor === undefined ? null : this.cursors.decode(list, cursor);
    const found = await this.findPartnerIds(filter.search);
    const sales = await this.timed.findPage(filter, found, after, limit + 1);
    return toPage(
      sales,
      limit,
      (sale) => sale,
      (last) => this.cursors.encode(list, last),
    );
  }

  /**
   * Returns the ids of the partners that match a search, or no ids when `search` is null.
   *
   * @throws ValidationFailedError when too many partners match
   */
  async findPartnerIds(search: string | null): Promise<string[]> {
    if (search === null) return [];
    const found = await this.partners.findIds(search, MAX_PARTNERS + 1);
    if (found.length <= MAX_PARTNERS) return found;
    const message = `search must match at most ${MAX_PARTNERS} partners`;
    throw new ValidationFailedError([{ field: 'search', message }]);
  }

  /** Adds to each sale the name of the sale's partner. */
  async withPartnerNames(sales: readonly Sale[]): Promise<ListedSale[]> {
    const names = await this.partners.findNames(new Set(sales.flatMap(({ partnerId }) => partnerId ?? [])));
    return sales.map((sale) => ({ ...SaleDto.of(sale), partnerName: names.get(sale.partnerId ?? '') ?? null }));
  }
}
