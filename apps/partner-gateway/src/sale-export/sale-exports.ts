import { addAbortSignal, type Duplex, pipeline, Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ServiceUnavailableError } from '@tandem/http-api';

export interface SaleExportLimits {
  /** Exports that run at the same time in a process: each uses a connection of the pool most of the time. */
  readonly most: number;
  /** A longer export is aborted: slow readers must not occupy all exports. */
  readonly longestMs: number;
  /** How long a further export waits for one to end. Default: 10 s. */
  readonly waitMs?: number;
}

/** Exports that can wait at the same time. */
const MOST_WAITING = 32;
const WAIT_MS = 10_000;

/** Streams exports of one kind, a few at a time. Further ones wait for their turn in order, for a while. */
export class SaleExports {
  private readonly logger = new Logger(SaleExports.name);
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly limits: SaleExportLimits) {}

  /**
   * Starts an export. If a later page cannot be read, the stream fails and the connection closes before the end of the answer.
   *
   * @param open reads the first page, so that a failure is answered with its status, and returns what to export
   * @param output converts it
   * @param fields for the log
   * @throws ServiceUnavailableError when too many other exports run for too long; the errors of `open`
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

  /** Waits for another export to end. @returns false when none did in time */
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

  /** The next export takes the place of the one that has ended. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running--;
  }
}
