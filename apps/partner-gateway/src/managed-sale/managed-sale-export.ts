import { PassThrough, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/http-api';
import { SaleExports } from '../sale-export/sale-exports';
import type { ExportQuery } from './managed-sale.dto';
import { ManagedSaleRepository, type TimedSale } from './managed-sale.repository';
import { EXPORTED, exportedOf, problemsOf, type TimedSaleFilter, timedFilterOf } from './managed-sale.rules';

/** Number of sales that one query reads, which is also the most that an export holds in memory. */
const PAGE = 1_000;
/** A long range can be exported in parts. */
const LIMITS = { most: 2, longestMs: 1_800_000 };

/** Writes the sales that have qualified as lines of JSON. It reads the next page only when the caller has read the previous one. */
@Injectable()
export class ManagedSaleExport {
  private readonly exports = new SaleExports(LIMITS);

  constructor(private readonly sales: ManagedSaleRepository) {}

  /** @throws ValidationFailedError; ServiceUnavailableError while too many other exports run */
  async start(query: ExportQuery): Promise<Readable> {
    const problems = problemsOf(query);
    if (problems.length > 0) throw new ValidationFailedError(problems);
    const filter = { ...timedFilterOf(query), statuses: EXPORTED };
    const open = async () => this.linesFrom(await this.sales.findPage(filter, [], null, PAGE), filter);
    return this.exports.start(open, new PassThrough(), { partners: 'all' });
  }

  /** Yields a page as one text, because writing each line to the stream would cost more than producing it. */
  private async *linesFrom(first: TimedSale[], filter: TimedSaleFilter): AsyncGenerator<string> {
    for (let page = first; ;) {
      const lines = page.flatMap((sale) => (sale.qualifiedAt === null ? [] : `${JSON.stringify(exportedOf(sale))}\n`));
      if (lines.length > 0) yield lines.join('');
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return;
      page = await this.sales.findPage(filter, [], last, PAGE);
    }
  }
}
