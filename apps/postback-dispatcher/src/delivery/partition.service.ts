import { BeforeApplicationShutdown, Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { isDatabaseUnavailable } from '@tandem/database';
import { PostbackDispatcherConfig } from '../config';
import { PARTITIONED_TABLES, PartitionRepository, type PartitionSession } from './partition.repository';
import { expiredPartitions, missingPartitions, retentionStart, saleKeptDays } from './partition.rules';

const EVERY_MS = 3600_000;
const LOCK_TIMEOUT_MS = 2_000;
/** How long a detachment waits for transactions that use the table. After a timeout, the next run finishes the detachment. */
const DETACH_TIMEOUT_MS = 60_000;
const RETRY_MS = 500;
/**
 * The minimum number of days for which the closing of a sale without a delivery is kept. The rows of notices are kept as long. Normally, a
 * dead letter of the sale's `sale.completed` is deleted earlier, so it can no longer cause a postback.
 */
const CLOSINGS_KEPT_DAYS = 365;

/** Creates time partitions in advance, and drops partitions that are older than the retention. */
@Injectable()
export class PartitionService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('partition');
  private timer: NodeJS.Timeout | undefined;
  private running = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly partitions: PartitionRepository,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /**
   * Creates the missing partitions before the app starts to consume events, because the deliveries of these events need partitions. Then
   * starts the hourly maintenance.
   */
  async onModuleInit(): Promise<void> {
    while (!(await this.createMissing().catch(unlessUnavailable))) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.timer = setInterval(() => void this.runQuietly(), EVERY_MS);
    void this.runQuietly();
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  /**
   * Runs the maintenance once, after the previous run has ended. Skips a job that another replica is running.
   *
   * @param now default: the database's time, because a replica whose clock is ahead must not drop newer partitions
   */
  maintain(now?: Date): Promise<void> {
    const run = this.running.then(() => this.maintainOnce(now));
    this.running = run.catch(() => undefined);
    return run;
  }

  private async maintainOnce(time?: Date): Promise<void> {
    const now = time ?? (await this.partitions.readClock());
    await this.createMissing(now);
    await this.partitions.exclusively('drop', (session) => this.dropExpired(session, now), DETACH_TIMEOUT_MS);
    const days = saleKeptDays(this.config.POSTBACK_RETENTION_DAYS) + this.config.POSTBACK_PARTITION_DAYS;
    const start = retentionStart(now, days);
    const closedBefore = retentionStart(now, Math.max(days, CLOSINGS_KEPT_DAYS));
    await this.partitions.forgetSales(start, closedBefore, () => this.stopped);
  }

  private async createMissing(time?: Date): Promise<boolean> {
    const now = time ?? (await this.partitions.readClock());
    return this.partitions.exclusively(
      'create',
      async (session) => {
        for (const table of PARTITIONED_TABLES) {
          const existing = await session.list(table);
          const missing = missingPartitions({ table, existing, now, days: this.config.POSTBACK_PARTITION_DAYS });
          for (const partition of missing) await session.create(table, partition);
        }
      },
      LOCK_TIMEOUT_MS,
    );
  }

  private async dropExpired(session: PartitionSession, now: Date): Promise<void> {
    for (const table of PARTITIONED_TABLES) {
      // Postgres allows one unfinished detachment for each table, so an interrupted one is finished before the next begins.
      const interrupted = (await session.list(table)).filter(({ detaching }) => detaching);
      for (const { name } of interrupted) await session.finishDetachment(table, name);
      for (const name of await session.listDetached(table)) await this.drop(session, name);
      const existing = await session.list(table);
      for (const partition of expiredPartitions(existing, now, this.config.POSTBACK_RETENTION_DAYS)) {
        if (table === 'delivery' && (await session.hasPending(partition.name))) continue;
        await session.detach(table, partition.name);
        await this.drop(session, partition.name);
      }
    }
  }

  private async drop(session: PartitionSession, name: string): Promise<void> {
    await session.drop(name);
    this.logger.log({ msg: 'partition dropped', partition: name });
  }

  /**
   * Runs the maintenance, and logs an error instead of throwing it. Partitions are created several partition widths in advance, so the next
   * run can make up for a failed run.
   */
  private async runQuietly(): Promise<void> {
    try {
      await this.maintain();
    } catch (error) {
      this.logger.warn({ msg: 'partition maintenance failed', reason: (error as Error).message });
    }
  }
}

/**
 * Returns false ("not done") when the error means that the database is unavailable, so that startup waits for the database.
 * Rethrows any other error.
 */
function unlessUnavailable(error: unknown): false {
  if (isDatabaseUnavailable(error)) return false;
  throw error;
}
