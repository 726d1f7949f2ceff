import { PassThrough, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/http-api';
import { csvOf } from '../sale-export/csv';
import { pagesFrom } from '../sale-export/pages';
import { SaleExports } from '../sale-export/sale-exports';
import type { ExportQuery, ListedSale, SalesFileQuery } from './managed-sale.dto';
import { ManagedSaleRepository, type TimedSale } from './managed-sale.repository';
import { EXPORTED, exportedOf, problemsOf, type TimedSaleFilter, timedFilterOf } from './managed-sale.rules';
import { ManagedSaleService } from './managed-sale.service';

/** Number of sales that one query reads, which is also the most that an export holds in memory. */
const PAGE = 1_000;
/** A long range can be exported in parts. */
const LIMITS = { most: 2, longestMs: 1_800_000 };

/** The columns of the CSV in order, named as in the API. */
const COLUMNS = [
  'oid',
  'partnerId',
  'partnerName',
  'environment',
  'sharedId',
  'status',
  'soldAt',
  'currency',
  'amount',
  'emailMasked',
  'qualifiedAt',
  'revokedAt',
  'closedAt',
] as const satisfies readonly (keyof ListedSale)[];

/** Exports sales of all partners. It reads the next page only when the caller has read the previous one. */
@Injectable()
export class ManagedSaleExport {
  private readonly exports = new SaleExports(LIMITS);

  constructor(
    private readonly sales: ManagedSaleRepository,
    private readonly list: ManagedSaleService,
  ) {}

  /**
   * Writes the sales that have qualified as lines of JSON.
   *
   * @throws ValidationFailedError; ServiceUnavailableError while too many other exports run
   */
  startLines(query: ExportQuery): Promise<Readable> {
    check(query);
    const filter = { ...timedFilterOf(query), statuses: EXPORTED };
    const open = async () => this.linesFrom(await this.sales.findPage(filter, [], null, PAGE), filter);
    return this.exports.start(open, new PassThrough(), { partners: 'all' });
  }

  /**
   * Writes the sales of a manager's list as CSV.
   *
   * @throws ValidationFailedError; ServiceUnavailableError while too many other exports run
   */
  async startFile(query: SalesFileQuery): Promise<Readable> {
    check(query);
    const filter = timedFilterOf(query);
    const found = await this.list.findPartners(filter.search);
    const open = async () => this.rowsFrom(await this.sales.findPage(filter, found, null, PAGE), filter, found);
    return this.exports.start(open, csvOf(COLUMNS), { partners: 'all' });
  }

  /** Yields a page as one text, because writing each line to the stream would cost more than producing it. */
  private async *linesFrom(first: TimedSale[], filter: TimedSaleFilter): AsyncGenerator<string> {
    for await (const page of pagesFrom(first, PAGE, (last) => this.sales.findPage(filter, [], last, PAGE))) {
      const lines = page.flatMap((sale) => (sale.qualifiedAt === null ? [] : `${JSON.stringify(exportedOf(sale))}\n`));
      if (lines.length > 0) yield lines.join('');
    }
  }

  private async *rowsFrom(
    first: TimedSale[],
    filter: TimedSaleFilter,
    found: readonly string[],
  ): AsyncGenerator<ListedSale> {
    for await (const page of pagesFrom(first, PAGE, (last) => this.sales.findPage(filter, found, last, PAGE)))
      yield* await this.list.named(page);
  }
}

function check(query: ExportQuery | SalesFileQuery): void {
  const problems = problemsOf(query);
  if (problems.length > 0) throw new ValidationFailedError(problems);
}
