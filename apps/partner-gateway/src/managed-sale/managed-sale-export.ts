import { addAbortSignal, PassThrough, pipeline, Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError, ValidationFailedError } from '@tandem/http-api';
import type { ExportQuery } from './managed-sale.dto';
import { ManagedSaleRepository, type TimedSale } from './managed-sale.repository';
import { EXPORTED, exportedOf, problemsOf, type TimedSaleFilter, timedFilterOf } from './managed-sale.rules';

/** Sales of one query: the most that an export holds in memory. */
const PAGE = 1_000;
/** Exports that run at the same time in a process: each uses a connection of the pool most of the time. */
const MAX_RUNNING = 2;
/** A longer export is aborted; a range of time can be exported in parts. */
const LONGEST_MS = 1_800_000;

/** Writes the sales that have qualified as lines of JSON, one page after the other as the caller reads them. */
@Injectable()
export class ManagedSaleExport {
  private readonly logger = new Logger(ManagedSaleExport.name);
  private running = 0;

  constructor(private readonly sales: ManagedSaleRepository) {}

  /**
   * Starts an export. The stream fails when a later page cannot be read: the connection then closes before the end of the answer.
   *
   * @throws ValidationFailedError, ServiceUnavailableError while too many others run
   */
  async start(query: ExportQuery): Promise<Readable> {
    const problems = problemsOf(query);
    if (problems.length > 0) throw new ValidationFailedError(problems);
    if (this.running >= MAX_RUNNING) throw new ServiceUnavailableError('Too many exports are running; try again.');
    this.running++;
    try {
      const filter = { ...timedFilterOf(query), statuses: EXPORTED };
      // Read before the answer begins, so that a failure has its status.
      const first = await this.sales.findPage(filter, [], null, PAGE);
      return this.write(this.linesFrom(first, filter));
    } catch (error) {
      this.running--;
      throw error;
    }
  }

  private write(lines: AsyncIterable<string>): Readable {
    const output = new PassThrough();
    addAbortSignal(AbortSignal.timeout(LONGEST_MS), output);
    pipeline(Readable.from(lines), output, (error) => {
      this.running--;
      if (error) this.logger.warn({ msg: 'an export of all sales has ended early', err: error });
    });
    return output;
  }

  /** A page is one text: a stream of short lines costs more than the lines. */
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
