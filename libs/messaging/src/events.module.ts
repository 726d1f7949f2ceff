import { type DynamicModule, Global, Module } from '@nestjs/common';
import { createKafkaBus, createPostgresBus, EVENT_BUS, kafkaLoginOf } from '@tandem/event-bus';
import { DeadLetterLog } from './dead-letter/dead-letter-log';
import { DeadLetterReplayer } from './serving/dead-letter-replayer';
import { DeadLetterWriter } from './dead-letter/dead-letter-writer';
import { Dispatcher } from './dispatch/dispatcher';
import { EventServer } from './serving/event-server';
import { EventTransactions } from './dispatch/event-transactions';
import { EventsLifecycle } from './events-lifecycle';
import { EVENTS_OPTIONS, type EventsOptions, type EventsSettings, resolveOptions } from './events-options';
import { EventMeasures } from './measure/event-measures';
import { Measurement } from './measure/measurement';
import { Outbox } from './outbox/outbox';
import { OutboxRelay } from './outbox/outbox-relay';
import { Retention } from './retention/retention';

/**
 * Provides outbox, handlers, dead letters and measures of one app. It needs the app's DataSource (DatabaseModule), and
 * MESSAGING_MIGRATIONS applied to the app's schema.
 *
 *     EventsModule.register(config, { app: 'partner-gateway' })
 */
@Global()
@Module({})
export class EventsModule {
  /**
   * @param settings the app's config
   * @throws EventsConfigurationError when the chosen bus has no address
   */
  static register(
    settings: EventsSettings,
    options: Omit<
      EventsOptions,
      'bus' | 'kafkaBrokers' | 'kafkaLogin' | 'kafkaSessionTimeoutMs' | 'busUrl' | 'databaseUrl'
    >,
  ): DynamicModule {
    const resolved = resolveOptions({
      ...options,
      bus: settings.EVENT_BUS,
      kafkaBrokers: settings.KAFKA_BROKERS,
      kafkaLogin: kafkaLoginOf(settings),
      kafkaSessionTimeoutMs: settings.KAFKA_SESSION_TIMEOUT_MS,
      busUrl: settings.BUS_DATABASE_URL ?? settings.DATABASE_URL,
      databaseUrl: settings.DATABASE_URL,
    });
    return {
      module: EventsModule,
      providers: [
        { provide: EVENTS_OPTIONS, useValue: resolved },
        {
          provide: EVENT_BUS,
          useFactory: () => (resolved.bus === 'kafka' ? createKafkaBus(resolved) : createPostgresBus(resolved)),
        },
        Outbox,
        OutboxRelay,
        Dispatcher,
        EventTransactions,
        EventServer,
        DeadLetterWriter,
        DeadLetterLog,
        DeadLetterReplayer,
        Measurement,
        EventMeasures,
        Retention,
        EventsLifecycle,
      ],
      exports: [DeadLetterLog, Outbox, EventServer, Measurement, Retention],
    };
  }
}
