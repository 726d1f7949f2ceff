import { PassThrough, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/http-api';
import { csvOf } from '../sale-export/csv';
import { pagesFrom } from '../sale-export/pages';
import { SaleExports } from '../sale-export/sale-exports';
import type { ExportQuery, ListedSale, SalesCsvQuery } from './managed-sale.dto';
import { ManagedSaleRepository, type TimedSale } from './managed-sale.repository';
import { EXPORTED, exportedOf, problemsOf, timedFilterOf } from './managed-sale.rules';
import { ManagedSaleService } from './managed-sale.service';

/** The maximum number of sales in a page. An export holds only a few pages in memory. */
const PAGE = 1_000;
/**
 * The minimum size of the pages of an export with a search. For each combination of a matching partner, an environment and a status, the
 * query of a page may read as many sales as the page has. The pages are therefore smaller when more partners match, down to this size.
 */
const SMALLEST_PAGE = 50;
/**
 * The limits of the two kinds of export. Each kind has its own limit of concurrent exports, so that slow browsers, which download CSV
 * files, do not delay programs, which read lines of JSON. An export that takes longer than `longestMs` fails; the caller can export the range
 * in parts.
 */
const LINES = { most: 2, longestMs: 1_800_000 };
const FILES = { most: 2, longestMs: 600_000 };

/** The columns of the CSV file, in order. Each column has the name of a field of the API. */
export const CSV_COLUMNS = [
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

/** Exports sales of all partners. Pages are read only as fast as the caller consumes them. */
@Injectable()
export class ManagedSaleExport {
  private readonly lines = new SaleExports(LINES);
  private readonly files = new SaleExports(FILES);

  constructor(
    private readonly sales: ManagedSaleRepository,
    private readonly list: ManagedSaleService,
  ) {}

  /**
   * Streams the sales that have qualified, as lines of JSON.
   *
   * @throws ValidationFailedError; ServiceUnavailableError when the wait for other exports times out, or when too many exports wait
   */
  startLines(query: ExportQuery): Promise<Readable> {
    assertValid(query);
    const filter = { ...timedFilterOf(query), statuses: EXPORTED };
    const read = (after: TimedSale | null) => this.sales.findPage(filter, [], after, PAGE);
    const open = async () => this.linesFrom(pagesFrom(await read(null), PAGE, read));
    return this.lines.start(open, new PassThrough(), { partners: 'all' });
  }

  /**
   * Streams the sales that match a manager's filters, as CSV.
   *
   * @throws ValidationFailedError; ServiceUnavailableError when the wait for other exports times out, or when too many exports wait
   */
  async startCsv(query: SalesCsvQuery): Promise<Readable> {
    assertValid(query);
    const filter = timedFilterOf(query);
    const found = await this.list.findPartnerIds(filter.search);
    const size = Math.max(SMALLEST_PAGE, Math.floor(PAGE / Math.max(1, found.length)));
    const read = (after: TimedSale | null) => this.sales.findPage(filter, found, after, size);
    const open = async () => this.rowsFrom(pagesFrom(await read(null), size, read));
    return this.files.start(open, csvOf(CSV_COLUMNS), { partners: 'all' });
  }

  /**
   * Yields one string with all lines of a page, because writing each line to the stream separately would cost more than producing the line.
   * Sales that never qualified have no line, and a page without lines yields no string.
   */
  private async *linesFrom(pages: AsyncIterable<TimedSale[]>): AsyncGenerator<string> {
    for await (const page of pages) {
      const lines = page.flatMap((sale) => (sale.qualifiedAt === null ? [] : `${JSON.stringify(exportedOf(sale))}\n`));
      if (lines.length > 0) yield lines.join('');
    }
  }

  private async *rowsFrom(pages: AsyncIterable<TimedSale[]>): AsyncGenerator<ListedSale> {
    for await (const page of pages) yield* await this.list.withPartnerNames(page);
  }
}

function assertValid(query: ExportQuery | SalesCsvQuery): void {
  const problems = problemsOf(query);
  if (problems.length > 0) throw new ValidationFailedError(problems);
}
