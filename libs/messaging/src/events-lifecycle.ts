import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { EVENT_BUS, type EventBus } from '@tandem/event-bus';
import { DeadLetterReplayer } from './serving/dead-letter-replayer';
import { describeError } from './failure/dispatch.errors';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from './events-options';
import { Measurement } from './measure/measurement';
import { lastActivities } from './metrics';
import { OutboxRelay } from './outbox/outbox-relay';
import { Retention } from './retention/retention';

/**
 * Maximum delay of the first cleanup. It is short, because a process that restarts every hour must clean up as well.
 */
const FIRST_CLEAN_MS = 10_000;

/**
 * Starts the relay, the measurements and the cleanup with the app. At shutdown, everything that reads or writes stops
 * in `beforeApplicationShutdown`, while the database is still connected; the connections of the bus are closed in
 * `onApplicationShutdown`.
 */
@Injectable()
export class EventsLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(EventsLifecycle.name);
  private cleaner?: NodeJS.Timeout;
  private cleaning: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly lastActivity = (): number | undefined => this.bus.consumer.lastActivity;

  constructor(
    private readonly retention: Retention,
    private readonly relay: OutboxRelay,
    private readonly replayer: DeadLetterReplayer,
    private readonly measurement: Measurement,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.relay.start();
    this.measurement.start();
    lastActivities.set(this.options.app, this.lastActivity);
    this.cleanIn(Math.min(FIRST_CLEAN_MS, this.options.tuning.cleanEveryMs) * Math.random());
  }

  /**
   * Schedules the next cleanup. The intervals vary at random, so that replicas that started together clean up at
   * different times.
   */
  private cleanIn(ms: number): void {
    this.cleaner = setTimeout(() => {
      this.cleaning = this.clean().then(() => {
        if (!this.stopped) this.cleanIn(this.options.tuning.cleanEveryMs * (0.9 + Math.random() * 0.2));
      });
    }, ms);
    this.cleaner.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.retention.stop();
    // Some tests start two instances of an app in one process. If the other instance has replaced the entry meanwhile,
    // the entry is kept.
    if (lastActivities.get(this.options.app) === this.lastActivity) lastActivities.delete(this.options.app);
    clearTimeout(this.cleaner);
    // The producers of events stop before the relay, so that the relay still runs while the last handlers add events.
    // Events that the relay does not send stay in the outbox until another process leads.
    await Promise.all([this.bus.consumer.stop(), this.replayer.stop(), this.measurement.stop(), this.cleaning]);
    await this.relay.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.consumer.close();
    await this.bus.publisher.close();
  }

  /**
   * Deletes rows and events past their retention, in small transactions. Several replicas may do so at the same time.
   */
  async clean(): Promise<void> {
    try {
      await this.retention.deleteExpired();
      await this.bus.prune?.(() => this.stopped);
    } catch (error) {
      this.logger.warn(`cleanup failed, will be repeated: ${describeError(error)}`);
    }
  }
}
