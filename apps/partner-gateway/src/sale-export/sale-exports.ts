import { addAbortSignal, type Duplex, pipeline, Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';

export interface SaleExportLimits {
  /** The maximum number of concurrent exports of this kind in a process. An export uses a connection of the pool while it reads a page. */
  readonly most: number;
  /** The time after which an export is aborted, so that slow readers cannot occupy all places. */
  readonly longestMs: number;
  /** How long an export waits for a place while too many others run. It is then refused. Default: 10 s. */
  readonly waitMs?: number;
}

/** The maximum number of exports of one kind that wait at the same time. */
const MOST_WAITING = 32;
const WAIT_MS = 10_000;

/**
 * Streams exports of one kind. Only a few run at the same time. Further exports wait, in order, for a place. An export is refused when it
 * has waited too long, or when too many other exports are already waiting.
 */
export class SaleExports {
  private readonly logger = new Logger(SaleExports.name);
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly limits: SaleExportLimits) {}

  /**
   * Starts an export. If reading a later page fails, the stream fails and the connection closes before the end of the answer.
   *
   * @param open reads the first page and returns all rows to export; if it fails, the caller still gets an answer with the error's status
   * @param output converts the rows to the format of the export
   * @param fields are added to the log line of an export that ends early
   * @throws ServiceUnavailableError when the wait for a place times out, or when too many other exports wait; also the errors of `open`
   */
  async start(open: () => Promise<AsyncIterable<unknown>>, output: Duplex, fields: object = {}): Promise<Readable> {
    await this.enter();
    try {
      const source = Readable.from(await open());
      addAbortSignal(AbortSignal.timeout(this.limits.longestMs), output);
      pipeline(source, output, (error) => {
        this.leave();
        if (error) this.logger.warn({ msg: 'an export of sales has ended early', ...fields, err: error });
      });
      return output;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  private async enter(): Promise<void> {
    if (this.running < this.limits.most) {
      this.running++;
      return;
    }
    if (this.waiting.length < MOST_WAITING && (await this.hasTurn())) return;
    throw new ServiceUnavailableError('Too many exports are running; try again.', 10);
  }

  /** Waits, in order of arrival, until an export ends and leaves its place to this one. @returns false when the wait times out */
  private hasTurn(): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        resolve(false);
      }, this.limits.waitMs ?? WAIT_MS);
      this.waiting.push(begin);
    });
  }

  /** Frees the place of an export that has ended, or gives it to the next export that waits. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running--;
  }
}
