import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EVENT_BUS, type EventBus } from '@tandem/event-bus';
import { DataSource } from 'typeorm';
import { countDeadLetters } from '../dead-letter/dead-letter.repository';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { CONSUMER_LAG, DATABASE_LOCK_WAIT_SECONDS, DEAD_LETTERS } from '../metrics';
import { Measurement, type MeasuredValue } from './measurement';

// `waitstart` is null for a moment after a wait has begun, so such a wait does not count yet.
const LONGEST_LOCK_WAIT = `
  SELECT coalesce(max(extract(epoch FROM clock_timestamp() - l.waitstart)), 0)::float8 AS seconds
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE NOT l.granted AND a.usename = current_user AND a.datname = current_database()`;

/**
 * Registers the measures that an app with events exports: dead letters, lock waits of its database role and, if the app
 * consumes topics, the lag of its consumer group.
 */
@Injectable()
export class EventMeasures implements OnModuleInit {
  /** The topics that the app consumes. */
  private readonly topics: readonly string[];

  constructor(
    private readonly dataSource: DataSource,
    private readonly measurement: Measurement,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) { app, topology }: ResolvedEventsOptions,
  ) {
    this.topics = topology.filter(({ consumers }) => consumers.includes(app)).map(({ event }) => event.topic);
  }

  onModuleInit(): void {
    this.measurement.add({ name: 'the number of dead letters', read: () => this.deadLetters() });
    this.measurement.add({ name: 'the longest wait for a lock', read: () => this.lockWait() });
    if (this.topics.length > 0) this.measurement.add({ name: 'the lag of the consumer group', read: () => this.lag() });
  }

  private async deadLetters(): Promise<MeasuredValue[]> {
    const counts = await countDeadLetters(this.dataSource.manager);
    return [...new Set([...this.topics, ...counts.keys()])].map((topic) => ({
      gauge: DEAD_LETTERS,
      labels: { topic },
      value: counts.get(topic) ?? 0,
    }));
  }

  private async lag(): Promise<MeasuredValue[]> {
    const lags = await this.bus.consumer.lag(this.topics);
    return [...lags].map(([topic, value]) => ({ gauge: CONSUMER_LAG, labels: { topic }, value }));
  }

  private async lockWait(): Promise<MeasuredValue[]> {
    const [{ seconds }] = await this.dataSource.query<[{ seconds: number }]>(LONGEST_LOCK_WAIT);
    return [{ gauge: DATABASE_LOCK_WAIT_SECONDS, value: seconds }];
  }
}
