import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { csvOf } from '../sale-export/csv';
import { pagesFrom } from '../sale-export/pages';
import { SaleExports } from '../sale-export/sale-exports';
import type { PartnerSaleFilterQuery } from './partner-sale.dto';
import { type ListedSale, PartnerSaleRepository, type SaleOwner } from './partner-sale.repository';
import { closedAtOf, reasonOf } from './partner-sale.rules';
import { checked } from './partner-sale.service';

/** The maximum number of sales in a page. An export holds only a few pages in memory. */
const PAGE = 1_000;
const LIMITS = { most: 4, longestMs: 600_000 };

/** The columns of the CSV file, in order. Each column has the name of a field of the API. */
const COLUMNS = [
  'oid',
  'refId',
  'status',
  'reason',
  'soldAt',
  'currency',
  'amount',
  'emailMasked',
  'qualifiedAt',
  'revokedAt',
  'closedAt',
] as const;

/** Exports a partner's sales as CSV. Pages are read only as fast as the caller consumes them. */
@Injectable()
export class PartnerSaleExport {
  private readonly exports = new SaleExports(LIMITS);

  constructor(private readonly sales: PartnerSaleRepository) {}

  /**
   * @param confirm rejects if the caller may no longer read the sales. It is called before each page except the first, because an export can
   *   take ten minutes, and must end when the caller's token is revoked in the meantime
   * @returns CSV in UTF-8 with a header line; a cell that a spreadsheet would read as a formula begins with `'`
   * @throws ValidationFailedError; ServiceUnavailableError when the wait for other exports times out, or when too many exports wait
   */
  async start(owner: SaleOwner, query: PartnerSaleFilterQuery, confirm: () => Promise<void>): Promise<Readable> {
    const filter = checked(query);
    const next = async (last: ListedSale): Promise<ListedSale[]> => {
      await confirm();
      return this.sales.findPage(owner, filter, last, PAGE);
    };
    const open = async () => rowsFrom(pagesFrom(await this.sales.findPage(owner, filter, null, PAGE), PAGE, next));
    return this.exports.start(open, csvOf(COLUMNS), { partnerId: owner.partnerId });
  }
}

async function* rowsFrom(pages: AsyncIterable<ListedSale[]>): AsyncGenerator<Record<string, unknown>> {
  for await (const page of pages) yield* page.map(rowOf);
}

const rowOf = (sale: ListedSale): Record<(typeof COLUMNS)[number], unknown> => ({
  oid: sale.oid,
  refId: sale.sharedId,
  status: sale.status,
  reason: reasonOf(sale),
  soldAt: sale.soldAt,
  currency: sale.currency,
  amount: sale.amount,
  emailMasked: sale.emailMasked,
  qualifiedAt: sale.qualifiedAt,
  revokedAt: sale.revokedAt,
  closedAt: closedAtOf(sale),
});
