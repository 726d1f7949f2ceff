import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurement, type MeasuredValue } from '@tandem/messaging';
import { Gauge } from 'prom-client';
import { ReconciliationRepository } from './reconciliation.repository';

const FAILING = new Gauge({
  name: 'identity_reconciliations_failing',
  help: 'Users whose last reconciliation with the vendor failed',
  labelNames: ['app'],
});
const OVERDUE_SECONDS = new Gauge({
  name: 'identity_reconciliation_overdue_seconds',
  help: 'How long the longest-waiting user has been due for reconciliation with the vendor; 0: no user is due',
  labelNames: ['app'],
});

/** Measures the queue of users to reconcile with the vendor. */
@Injectable()
export class ReconciliationMetrics implements OnModuleInit {
  constructor(
    private readonly measurement: Measurement,
    private readonly queue: ReconciliationRepository,
  ) {}

  onModuleInit(): void {
    this.measurement.add({ name: 'the queue to the vendor', read: () => this.read() });
  }

  private async read(): Promise<MeasuredValue[]> {
    const { failing, overdueSeconds } = await this.queue.measure();
    return [
      { gauge: FAILING, value: failing },
      { gauge: OVERDUE_SECONDS, value: overdueSeconds },
    ];
  }
}
