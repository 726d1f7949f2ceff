import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { WebhookIngestConfig } from '../config';
import { WebhookRetentionRepository } from './webhook-retention.repository';

const DAY_MS = 86_400_000;
/** Small transactions: none of them holds up a webhook, or the vacuum. */
const BATCH = 1_000;

/** Deletes stored webhooks when their time is over. Replicas share the work. */
@Injectable()
export class WebhookRetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('retention');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly config: WebhookIngestConfig,
    private readonly webhooks: WebhookRetentionRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Deletes everything that is older than the configured age, batch by batch. @returns how many webhooks were deleted */
  async deleteExpired(now: Date): Promise<number> {
    const { WEBHOOK_RETENTION_DAYS, ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS } = this.config;
    const ago = (ms: number): Date => new Date(now.getTime() - ms);
    const claimedBefore = ago(ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS * 1_000);
    await this.inBatches(() => this.webhooks.deleteClaimedBefore(claimedBefore, BATCH));
    const receivedBefore = ago(WEBHOOK_RETENTION_DAYS * DAY_MS);
    return this.inBatches(() => this.webhooks.deleteReceivedBefore(receivedBefore, BATCH));
  }

  private async inBatches(deleteBatch: () => Promise<number>): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await deleteBatch();
      total += deleted;
      if (deleted < BATCH || this.stopped) return total;
    }
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.cleanUp().finally(() => this.schedule());
    }, this.config.WEBHOOK_CLEANUP_INTERVAL_MS);
    this.timer.unref();
  }

  private async cleanUp(): Promise<void> {
    try {
      const deleted = await this.deleteExpired(new Date());
      if (deleted > 0) this.logger.log({ msg: 'old webhooks deleted', deleted });
    } catch (error) {
      // The next round does what this one could not.
      this.logger.warn({ msg: 'old webhooks could not be deleted', reason: (error as Error).message });
    }
  }
}
