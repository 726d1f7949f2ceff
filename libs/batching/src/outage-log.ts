import type { LoggerService } from '@nestjs/common';

/**
 * The log of a loop that retries: one warning when it begins to fail, and one line when it works again, however many tries are
 * between them.
 */
export class OutageLog {
  private failingSince: number | undefined;

  /**
   * @param logger gets both lines as objects
   * @param messages the texts (`msg`) for when the work begins to fail, and for when it works again
   */
  constructor(
    private readonly logger: Pick<LoggerService, 'log' | 'warn'>,
    private readonly messages: { readonly away: string; readonly back: string },
  ) {}

  /** A try failed: logged with the fields (a reason, an id) when the one before had not failed. */
  failed(fields: object): void {
    if (this.failingSince !== undefined) return;
    this.failingSince = Date.now();
    this.logger.warn({ msg: this.messages.away, ...fields });
  }

  /** A try succeeded: logged with the length of the outage, in ms, when the one before had failed. */
  succeeded(): void {
    if (this.failingSince === undefined) return;
    const outageMs = Date.now() - this.failingSince;
    this.failingSince = undefined;
    this.logger.log({ msg: this.messages.back, outageMs });
  }
}
