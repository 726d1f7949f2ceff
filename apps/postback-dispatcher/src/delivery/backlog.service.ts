import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { OutageLog } from '@tandem/messaging';
import { Gauge } from 'prom-client';
import { PostbackDispatcherConfig } from '../config';
import { DispatchService } from '../dispatch/dispatch.service';
import { type Backlog, BacklogRepository } from './backlog.repository';

/** A due attempt is sent in milliseconds: one that has waited this long is stuck, or its endpoint is paused or slow. */
const OVERDUE_AFTER_SECONDS = 60;
/** The replica that owns this shard measures for all. */
const MEASURING_SHARD = 0;

const gauge = (name: string, help: string): Gauge => new Gauge({ name, help });

const GAUGES: Record<keyof Backlog, Gauge> = {
  pending: gauge('postback_deliveries_pending', 'Deliveries that are to be sent, now or later'),
  overdue: gauge(
    'postback_deliveries_overdue',
    `Pending deliveries whose attempt has been due for more than ${OVERDUE_AFTER_SECONDS} s`,
  ),
  held: gauge('postback_deliveries_held', 'Deliveries that are kept for a replay: no enabled configuration'),
  failed: gauge('postback_deliveries_failed', 'Deliveries that were given up, and not replayed since'),
  disabledEndpoints: gauge('postback_endpoints_disabled', 'Configurations that are disabled'),
  oldestPendingSeconds: gauge('postback_oldest_pending_seconds', 'Age of the oldest pending delivery; 0: none'),
  oldestDueSeconds: gauge('postback_oldest_due_seconds', 'How long the oldest due attempt has been due; 0: none'),
};

/** Tells the person on call what is not delivered: measured now and then by one replica, never by a scrape. */
@Injectable()
export class BacklogService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly outage = new OutageLog(new Logger('backlog'), {
    away: 'the backlog cannot be measured',
    back: 'the backlog is measured again',
  });
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: BacklogRepository,
    private readonly dispatch: DispatchService,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.forget();
    this.timer = setInterval(() => void this.measure(), this.config.POSTBACK_MEASURE_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Sets the gauges; on the other replicas they show nothing. */
  private async measure(): Promise<void> {
    try {
      if (!this.dispatch.owns(MEASURING_SHARD)) return this.forget();
      const backlog = await this.repository.measure(OVERDUE_AFTER_SECONDS);
      for (const name in GAUGES) GAUGES[name as keyof Backlog].set(backlog[name as keyof Backlog]);
      this.outage.succeeded();
    } catch (error) {
      this.forget();
      this.outage.failed({ reason: (error as Error).message });
    }
  }

  private forget(): void {
    for (const one of Object.values(GAUGES)) one.remove();
  }
}
