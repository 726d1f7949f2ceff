import { Inject, Injectable, Logger } from '@nestjs/common';
import { OutageLog, sleep } from '@tandem/batching';
import type { Gauge } from 'prom-client';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { OutboxRelay } from '../outbox/outbox-relay';

/** One value of a gauge. {@link Measurement} adds the label `app`. */
export interface MeasuredValue {
  readonly gauge: Gauge;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Gauges whose values are read by queries, such as the number of stored rows or the backlog on the bus. */
export interface Measure {
  /** The name of the measure in log lines. */
  readonly name: string;
  /** Reads all current values. A value that is no longer returned is removed from the gauge. */
  read(): Promise<readonly MeasuredValue[]>;
}

/** How long `stop` waits for a read. A read that a bus or database blocks for longer ends by its own timeout. */
const GOODBYE_MS = 1_000;

/**
 * For how many measurements a process that no longer leads keeps its last values. While the bus is down, the lead
 * changes every 11 to 14 s, so a replica leads at only some of its measurements. If it removed the values at the first
 * measurement without the lead, Prometheus alerts that need a value for a minute would not fire.
 */
const KEPT_MEASUREMENTS = 2;

/** A measure and the values it exports. */
interface Shown {
  readonly measure: Measure;
  readonly outage: OutageLog;
  values: readonly MeasuredValue[];
  /** The number of measurements since this process last led. */
  withoutLead: number;
}

/**
 * Measures values that concern all replicas of an app. Only the process that leads the relay measures them, every
 * `measureEveryMs` and never during a scrape. A replica that no longer leads exports its last values for up to
 * `KEPT_MEASUREMENTS` + 1 periods; other replicas export no values.
 */
@Injectable()
export class Measurement {
  private readonly logger = new Logger(Measurement.name);
  private readonly measures: Shown[] = [];
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly relay: OutboxRelay,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /** Registers a measure, for as long as the app runs. */
  add(measure: Measure): void {
    const { name } = measure;
    const messages = { failed: `${name} cannot be measured`, recovered: `${name} is measured again` };
    this.measures.push({ measure, outage: new OutageLog(this.logger, messages), values: [], withoutLead: 0 });
  }

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.measure().then(() => {
        if (!this.stopped) this.start();
      });
    }, this.options.tuning.measureEveryMs);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const over = new AbortController();
    await Promise.race([this.running, sleep(GOODBYE_MS, over.signal)]);
    over.abort();
    for (const shown of this.measures) this.show(shown, []);
  }

  /** Measures once. The promise never rejects: values that cannot be read are removed, and the failure is logged. */
  async measure(): Promise<void> {
    for (const shown of this.measures) {
      if (this.stopped) return;
      if (!this.relay.leads) {
        if (++shown.withoutLead > KEPT_MEASUREMENTS) this.show(shown, []);
        continue;
      }
      shown.withoutLead = 0;
      try {
        const values = await shown.measure.read();
        // The app is stopping: `stop` removes the values.
        if (this.stopped) return;
        this.show(shown, values);
        shown.outage.succeeded();
      } catch (error) {
        if (this.stopped) return;
        this.show(shown, []);
        shown.outage.failed({ reason: (error as Error).message });
      }
    }
  }

  private show(shown: Shown, values: readonly MeasuredValue[]): void {
    const { app } = this.options;
    for (const { gauge, labels } of shown.values) gauge.remove({ app, ...labels });
    for (const { gauge, labels, value } of values) gauge.set({ app, ...labels }, value);
    shown.values = values;
  }
}
