import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { WebhookIngestConfig } from '../config';
import { PaymentEventRetentionRepository } from './payment-event-retention.repository';

const DAY_MS = 86_400_000;
/** Small transactions: none of them holds up a webhook, or the vacuum. */
const BATCH = 1_000;

/** Deletes stored webhooks when their time is over. Replicas share the work. */
@Injectable()
export class PaymentEventRetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('retention');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly config: WebhookIngestConfig,
    private readonly events: PaymentEventRetentionRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Deletes everything that is older than the configured age, batch by batch. @returns how many were deleted */
  async deleteExpired(now: Date): Promise<number> {
    const before = new Date(now.getTime() - this.config.PAYMENT_EVENT_RETENTION_DAYS * DAY_MS);
    for (let total = 0; ;) {
      const deleted = await this.events.deleteReceivedBefore(before, BATCH);
      total += deleted;
      if (deleted < BATCH || this.stopped) return total;
    }
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.cleanUp().finally(() => this.schedule());
    }, this.config.PAYMENT_EVENT_CLEANUP_INTERVAL_MS);
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
