import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';
import { stringify } from 'csv-stringify';
import type { PartnerSaleFilterQuery } from './partner-sale.dto';
import { type ListedSale, PartnerSaleRepository, type SaleOwner } from './partner-sale.repository';
import { closedAtOf, type PartnerSaleFilter, reasonOf } from './partner-sale.rules';
import { checked } from './partner-sale.service';

/** Number of sales that one query reads, which is also the most that an export holds in memory. */
const PAGE = 1_000;
/** Maximum number of concurrent exports in a process: each uses a connection of the pool most of the time. */
const MAX_RUNNING = 4;
/** Longer exports are aborted, so that slow readers cannot keep other partners from exporting. */
const LONGEST_MS = 600_000;

/** The columns in order, named as in the API. */
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

/** Writes a partner's sales as CSV. It reads the next page only when the caller has read the previous one. */
@Injectable()
export class PartnerSaleExport {
  private readonly logger = new Logger(PartnerSaleExport.name);
  private running = 0;

  constructor(private readonly sales: PartnerSaleRepository) {}

  /**
   * Starts an export. If a later page cannot be read, the stream fails and the connection closes before the end of the
   * answer.
   *
   * @returns CSV in UTF-8 with a header line; a cell that a spreadsheet would read as a formula begins with `'`
   * @throws ValidationFailedError; ServiceUnavailableError while too many other exports run
   */
  async start(owner: SaleOwner, query: PartnerSaleFilterQuery): Promise<Readable> {
    const filter = checked(query);
    if (this.running >= MAX_RUNNING) throw new ServiceUnavailableError('Too many exports are running; try again.');
    this.running++;
    try {
      // The first page is read before the answer begins, so that a failure still gets its error status.
      const first = await this.sales.findPage(owner, filter, null, PAGE);
      return this.write(owner, this.pagesFrom(first, owner, filter));
    } catch (error) {
      this.running--;
      throw error;
    }
  }

  private write({ partnerId }: SaleOwner, rows: AsyncIterable<Record<string, unknown>>): Readable {
    const csv = stringify({
      header: true,
      columns: [...COLUMNS],
      escape_formulas: true,
      record_delimiter: 'windows',
      cast: { date: (date) => date.toISOString() },
    });
    addAbortSignal(AbortSignal.timeout(LONGEST_MS), csv);
    pipeline(Readable.from(rows), csv, (error) => {
      this.running--;
      if (error) this.logger.warn({ msg: 'an export of sales has ended early', partnerId, err: error });
    });
    return csv;
  }

  private async *pagesFrom(
    first: ListedSale[],
    owner: SaleOwner,
    filter: PartnerSaleFilter,
  ): AsyncGenerator<Record<string, unknown>> {
    for (let page = first; ;) {
      yield* page.map(rowOf);
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return;
      page = await this.sales.findPage(owner, filter, last, PAGE);
    }
  }
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
