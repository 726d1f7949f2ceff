import { addAbortSignal, PassThrough, pipeline, Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailableError, ValidationFailedError } from '@tandem/http-api';
import type { ExportQuery } from './managed-sale.dto';
import { ManagedSaleRepository, type TimedSale } from './managed-sale.repository';
import { EXPORTED, exportedOf, problemsOf, type TimedSaleFilter, timedFilterOf } from './managed-sale.rules';

/** Number of sales that one query reads, which is also the most that an export holds in memory. */
const PAGE = 1_000;
/** Maximum number of concurrent exports in a process: each uses a connection of the pool most of the time. */
const MAX_RUNNING = 2;
/** Longer exports are aborted. A long range can be exported in parts. */
const LONGEST_MS = 1_800_000;

/** Writes the sales that have qualified as lines of JSON. It reads the next page only when the caller has read the previous one. */
@Injectable()
export class ManagedSaleExport {
  private readonly logger = new Logger(ManagedSaleExport.name);
  private running = 0;

  constructor(private readonly sales: ManagedSaleRepository) {}

  /**
   * Starts an export. If a later page cannot be read, the stream fails and the connection closes before the end of the answer.
   *
   * @throws ValidationFailedError; ServiceUnavailableError while too many other exports run
   */
  async start(query: ExportQuery): Promise<Readable> {
    const problems = problemsOf(query);
    if (problems.length > 0) throw new ValidationFailedError(problems);
    if (this.running >= MAX_RUNNING) throw new ServiceUnavailableError('Too many exports are running; try again.');
    this.running++;
    try {
      const filter = { ...timedFilterOf(query), statuses: EXPORTED };
      // The first page is read before the answer begins, so that a failure still gets its error status.
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
