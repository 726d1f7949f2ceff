import type { LoggerService } from '@nestjs/common';

/**
 * Logs the outages of a loop that retries: one warning for the first failure and one line for the recovery, however
 * many attempts fail in between.
 */
export class OutageLog {
  private failingSince: number | undefined;

  /**
   * @param logger receives both lines as objects
   * @param messages the texts (`msg`) for the first failure and for the recovery
   */
  constructor(
    private readonly logger: Pick<LoggerService, 'log' | 'warn'>,
    private readonly messages: { readonly failed: string; readonly recovered: string },
  ) {}

  /**
   * Reports a failed attempt. Logs it with `fields`, such as a reason or an id, unless the previous attempt failed too.
   */
  failed(fields: object): void {
    if (this.failingSince !== undefined) return;
    this.failingSince = Date.now();
    this.logger.warn({ msg: this.messages.failed, ...fields });
  }

  /**
   * Reports a successful attempt. If the previous attempt failed, logs the recovery with the duration of the outage,
   * `outageMs`.
   */
  succeeded(): void {
    if (this.failingSince === undefined) return;
    const outageMs = Date.now() - this.failingSince;
    this.failingSince = undefined;
    this.logger.log({ msg: this.messages.recovered, outageMs });
  }
}
