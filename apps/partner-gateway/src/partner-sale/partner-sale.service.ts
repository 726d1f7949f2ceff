import { Injectable, Logger } from '@nestjs/common';
import { type Page, ServiceUnavailableError, toPage, ValidationFailedError } from '@tandem/http-api';
import type { SalePostback } from '@tandem/internal-api';
import { PartnerGatewayConfig } from '../config';
import { SaleTimeCursors } from '../paging/sale-time-cursors';
import type { PartnerCall } from '../relay/current-call.decorator';
import { PostbackClient } from '../relay/postback.client';
import type { Sale } from '../sale/sale.entity';
import { SubscriptionNotFoundError } from '../sale/sale.errors';
import type { PartnerSale, PartnerSaleFilterQuery, PartnerSalesQuery } from './partner-sale.dto';
import { PartnerSaleRepository } from './partner-sale.repository';
import { filterOf, type PartnerSaleFilter, viewOf } from './partner-sale.rules';

/** Shows a partner its own sales, each with the state of its postback. */
@Injectable()
export class PartnerSaleService {
  private readonly logger = new Logger(PartnerSaleService.name);
  private readonly cursors: SaleTimeCursors;

  constructor(
    private readonly sales: PartnerSaleRepository,
    private readonly postbacks: PostbackClient,
    config: PartnerGatewayConfig,
  ) {
    this.cursors = new SaleTimeCursors('partner-sales', config.CURSOR_SIGNING_KEYS);
  }

  /**
   * Returns a page of sales, newest first.
   *
   * @throws ValidationFailedError when `to` is not later than `from`
   * @throws InvalidCursorError for an invalid cursor, or one that was issued for other filters
   */
  async list(call: PartnerCall, query: PartnerSalesQuery): Promise<Page<PartnerSale>> {
    const { cursor, limit } = query;
    const filter = checked(query);
    const list = [call.partnerId, call.environment, filter.status, filter.refId, filter.from, filter.to];
    const after = cursor === undefined ? null : this.cursors.decode(list, cursor);
    const sales = await this.sales.findPage(call, filter, after, limit + 1);
    const postbackOf = await this.postbacksOf(call, sales.slice(0, limit));
    const view = (sale: Sale): PartnerSale => viewOf(sale, postbackOf(sale));
    return toPage(sales, limit, view, (last) => this.cursors.encode(list, last));
  }

  /** @throws SubscriptionNotFoundError for an unknown sale, and for a sale of another partner or of the other environment */
  async get(call: PartnerCall, oid: string): Promise<PartnerSale> {
    const sale = await this.sales.find(call, oid);
    if (!sale) throw new SubscriptionNotFoundError();
    const postbackOf = await this.postbacksOf(call, [sale]);
    return viewOf(sale, postbackOf(sale));
  }

  /**
   * Requests the postbacks of all given sales in one call. While postback-dispatcher is down, the sales are shown without their postbacks.
   *
   * @returns a function that looks up the postback of a sale: null if the sale has no postback, undefined while postback-dispatcher is down
   */
  private async postbacksOf(
    call: PartnerCall,
    sales: readonly Sale[],
  ): Promise<(sale: Sale) => SalePostback | null | undefined> {
    const oids = sales.filter(({ qualifiedAt }) => qualifiedAt !== null).map(({ oid }) => oid);
    if (oids.length === 0) return () => null;
    try {
      const found = new Map((await this.postbacks.findOfSales(call, oids)).map((one) => [one.oid, one]));
      return ({ oid }) => found.get(oid) ?? null;
    } catch (error) {
      if (!(error instanceof ServiceUnavailableError)) throw error;
      this.logger.warn({ msg: 'sales are shown without their postbacks', partnerId: call.partnerId });
      return () => undefined;
    }
  }
}

/** Converts a query to a filter. @throws ValidationFailedError when `to` is not later than `from` */
export function checked(query: PartnerSaleFilterQuery): PartnerSaleFilter {
  const filter = filterOf(query);
  if (Array.isArray(filter)) throw new ValidationFailedError(filter);
  return filter;
}
