import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurement, type MeasuredValue } from '@tandem/messaging';
import { Gauge } from 'prom-client';
import { type Backlog, BacklogRepository } from './backlog.repository';

/** A due attempt is normally made within milliseconds. An attempt that has been due for this long is stuck, or its endpoint is slow. */
const OVERDUE_AFTER_SECONDS = 60;

const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, labelNames: ['app'] });

const GAUGES: Record<keyof Backlog, Gauge> = {
  pending: gauge('postback_deliveries_pending', 'Deliveries to be sent, now or later, counted up to 100,000'),
  overdue: gauge(
    'postback_deliveries_overdue',
    `Pending deliveries whose attempt has been due for more than ${OVERDUE_AFTER_SECONDS} s, and whose endpoint is not paused, counted up to 100,000`,
  ),
  held: gauge('postback_deliveries_held', 'Deliveries held until they are replayed, counted up to 100,000'),
  failed: gauge(
    'postback_deliveries_failed',
    'Failed deliveries, except the postbacks of closed sales, counted up to 100,000',
  ),
  disabledEndpoints: gauge('postback_endpoints_disabled', 'Disabled configurations'),
  oldestPendingSeconds: gauge(
    'postback_oldest_pending_seconds',
    'Age of the oldest pending delivery; 0 when there is none',
  ),
  oldestDueSeconds: gauge(
    'postback_oldest_due_seconds',
    'How long the oldest due attempt has been due; 0 when there is none',
  ),
};

/** Exports the counts and ages of undelivered deliveries as metrics, for the person on call. */
@Injectable()
export class BacklogService implements OnModuleInit {
  constructor(
    private readonly repository: BacklogRepository,
    private readonly measurement: Measurement,
  ) {}

  onModuleInit(): void {
    this.measurement.add({ name: 'the backlog', read: () => this.read() });
  }

  private async read(): Promise<MeasuredValue[]> {
    const backlog = await this.repository.measure(OVERDUE_AFTER_SECONDS);
    return Object.entries(GAUGES).map(([name, one]) => ({ gauge: one, value: backlog[name as keyof Backlog] }));
  }
}
