import { Inject, Injectable, Logger } from '@nestjs/common';
import { deleteOldRows, isDatabaseUnavailable, type OldRows, readClock } from '@tandem/database';
import { DataSource } from 'typeorm';
import { describeError } from '../failure/dispatch.errors';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';

const DAY_MS = 86_400_000;

/** Rows that are deleted when they are older than `keepMs`. */
export interface ExpiringRows extends OldRows {
  readonly keepMs: number;
}

/**
 * Deletes the rows of an app that are past their lifetime. The lifetime of every table is in docs/operations.md.
 *
 *     retention.add({ table: 'inbound_webhook', column: 'received_at', keepMs: 90 * DAY_MS })
 */
@Injectable()
export class Retention {
  private readonly logger = new Logger(Retention.name);
  private readonly expiring: ExpiringRows[];
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(EVENTS_OPTIONS) { tuning }: ResolvedEventsOptions,
  ) {
    this.expiring = [
      { table: 'inbox', column: 'handled_at', keepMs: tuning.inboxRetentionDays * DAY_MS },
      {
        table: 'dead_letter',
        column: 'failed_at',
        condition: 'replay_requested_at IS NULL',
        keepMs: tuning.deadLetterRetentionDays * DAY_MS,
      },
    ];
  }

  /** Registers rows to delete, for as long as the app runs. */
  add(rows: ExpiringRows): void {
    this.expiring.push(rows);
  }

  /** Ends a running deletion after its current transaction, and starts no further deletion. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Deletes all expired rows once. If the rows of a table cannot be deleted, this is logged, and the next call retries.
   *
   * @param now the current time, from which the age of rows is computed. Default: the database's time, and not the
   *   replica's, because a replica whose clock is ahead would delete rows too early
   * @throws an error that `isDatabaseUnavailable` recognizes, because the other tables would fail as well
   */
  async deleteExpired(now?: Date): Promise<void> {
    const time = now ?? (await readClock(this.dataSource));
    for (const rows of this.expiring) {
      if (this.stopped) return;
      const { table, keepMs } = rows;
      try {
        const before = new Date(time.getTime() - keepMs);
        const deleted = await deleteOldRows(this.dataSource, rows, before, () => this.stopped);
        if (deleted > 0) this.logger.log({ msg: 'old rows deleted', table, deleted });
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.logger.warn({ msg: 'old rows could not be deleted', table, reason: describeError(error) });
      }
    }
  }
}
