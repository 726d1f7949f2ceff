import type { LoggerService } from '@nestjs/common';

/**
 * The log of a loop that retries: one warning when it starts to fail, and one line when it works again, however many attempts
 * fail in between.
 */
export class OutageLog {
  private failingSince: number | undefined;

  /**
   * @param logger gets both lines as objects
   * @param messages the texts (`msg`) for the first failure and for the recovery
   */
  constructor(
    private readonly logger: Pick<LoggerService, 'log' | 'warn'>,
    private readonly messages: { readonly away: string; readonly back: string },
  ) {}

  /** An attempt failed: logged with the fields (a reason, an id) unless the previous one had failed as well. */
  failed(fields: object): void {
    if (this.failingSince !== undefined) return;
    this.failingSince = Date.now();
    this.logger.warn({ msg: this.messages.away, ...fields });
  }

  /** An attempt succeeded: logged with the length of the outage, in ms, if the previous one had failed. */
  succeeded(): void {
    if (this.failingSince === undefined) return;
    const outageMs = Date.now() - this.failingSince;
    this.failingSince = undefined;
    this.logger.log({ msg: this.messages.back, outageMs });
  }
}
