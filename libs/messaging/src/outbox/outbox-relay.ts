import { Inject, Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable, isTimeout } from '@tandem/database';
import { Backoff, EVENT_BUS, type EventBus, OutageLog, sleep, WakeSignal } from '@tandem/event-bus';
import { DataSource } from 'typeorm';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options';
import { EVENTS_PUBLISHED, OUTBOX_OLDEST_SECONDS, OUTBOX_PENDING } from '../metrics';
import { startSendSpans } from '../wire/event-spans';
import { recordsSpans } from '../wire/trace';
import { sendsOf } from './sends';
import {
  deleteOutboxRows,
  measureOutbox,
  moveOutbox,
  type OutboxRow,
  readOutbox,
  type ReadLimits,
} from './outbox.repository';
import { RelayLeadership } from './relay-leadership';

const MEASURE_EVERY_MS = 5_000;
const LATER_MS = 200;
/** Bytes that are read of a topic at a time: an event can have 900,000 bytes, and a batch of them must not fill the process's memory. */
const READ_BYTES = 4 * 1024 * 1024;

/**
 * Publishes the committed rows of the outbox: in order for each key, repeated until the bus has it, by one process
 * of the app at a time. In an outage of Postgres or of the bus it waits and tries again.
 */
@Injectable()
export class OutboxRelay {
  private readonly logger = new Logger(OutboxRelay.name);
  private readonly wakes = new WakeSignal();
  private readonly backoff = new Backoff(100, 2_000);
  private readonly outage = new OutageLog(this.logger, {
    away: 'the relay cannot read the outbox',
    back: 'the relay reads the outbox again',
  });
  private readonly leadership: RelayLeadership;
  /** Topics whose last send failed, and when each is tried again; other topics do not wait for them. */
  private readonly resting = new Map<string, { until: number; backoff: Backoff; outage: OutageLog }>();
  private readonly stopped = new AbortController();
  private running?: Promise<void>;
  private measuredAt = 0;
  private later?: NodeJS.Timeout;
  private lookedAt = 0;

  constructor(
    dataSource: DataSource,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    const { url } = dataSource.options as { url?: string };
    if (!url) throw new Error('the relay needs a data source that is configured by a URL');
    this.leadership = new RelayLeadership(url, `${options.app}-relay`, () => this.wakes.wake());
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Events were added: they are sent now, by this process or by the leading one. */
  wake(): void {
    if (this.leadership.isLeader) this.wakes.wake();
    else this.leadership.tellLeader();
  }

  /** Events were added for which nobody in the platform waits: they are sent within a moment, together with others. */
  wakeLater(): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.wake();
    }, LATER_MS).unref();
  }

  /** Whether this process publishes for all replicas of the app. */
  get leads(): boolean {
    return this.leadership.isLeader;
  }

  private get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  /** Waits for the current send and the removal of its rows. Nothing is published afterwards. */
  async stop(): Promise<void> {
    this.stopped.abort();
    clearTimeout(this.later);
    this.wakes.wake();
    await this.running;
    await this.leadership.resign();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        const leads = await this.leadership.tryToLead();
        const pause = leads ? await this.step() : 0;
        this.backoff.reset();
        this.outage.succeeded();
        if (!leads) await this.standBy(this.options.tuning.relayStandbyMs);
        else if (pause > 0 && !this.stopping) await this.wakes.wait(pause);
      } catch (error) {
        const pause = this.backoff.next();
        this.outage.failed({ reason: (error as Error).message });
        await this.leadership.resign();
        await this.standBy(pause);
      }
    }
    this.forgetMeasures();
  }

  /** Ignores wake-ups: a relay that does not lead must not send. */
  private async standBy(ms: number): Promise<void> {
    this.forgetMeasures();
    await sleep(ms, this.stopped.signal);
  }

  /** Looks at the outbox once, and publishes what it has. @returns how long to pause, ms */
  private async step(): Promise<number> {
    await this.measure();
    await sleep(this.lookedAt + this.options.tuning.relayGatherMs - Date.now(), this.stopped.signal);
    this.lookedAt = Date.now();
    const limits = { rows: this.options.tuning.relayBatch, bytes: READ_BYTES };
    const mayHaveMore = (await this.move(limits)) ?? (await this.readAndPublish(limits));
    return mayHaveMore ? 0 : this.pause();
  }

  /**
   * Publishes by one statement where the bus is in the app's own database. Not while a topic rests, and not when spans are recorded:
   * these need the events in this process.
   *
   * @returns whether there may be more; undefined when nothing was done, because the rows have to be published one topic at a time
   */
  private async move(limits: ReadLimits): Promise<boolean | undefined> {
    const { rowPublisher } = this.bus;
    if (!rowPublisher || this.resting.size > 0 || recordsSpans()) return undefined;
    try {
      const { rows, bytes, appended } = await moveOutbox(this.leadership.connection, limits, rowPublisher);
      if (rows === 0) return false;
      rowPublisher.wake(appended);
      const counted = new Set<string>();
      for (const { topic, partition, events } of appended) {
        // One row for each consumer group.
        if (!counted.has(`${topic}/${partition}`)) EVENTS_PUBLISHED.inc({ topic }, events);
        counted.add(`${topic}/${partition}`);
      }
      return rows >= limits.rows || bytes >= limits.bytes;
    } catch (error) {
      if (isDatabaseUnavailable(error) || isTimeout(error)) throw error;
      return undefined;
    }
  }

  /** @returns whether there may be more */
  private async readAndPublish(limits: ReadLimits): Promise<boolean> {
    const now = Date.now();
    const resting = [...this.resting].filter(([, { until }]) => until > now).map(([topic]) => topic);
    const rows = await readOutbox(this.leadership.connection, limits, resting);
    const published = await this.publish(rows);
    const bytes = rows.reduce((sum, { value }) => sum + value.length, 0);
    return published > 0 && (rows.length >= limits.rows || bytes >= limits.bytes);
  }

  /** The pause until the next read, or until the first resting topic is tried again. */
  private pause(): number {
    const rests = [...this.resting.values()].map(({ until }) => until - Date.now());
    return Math.max(1, Math.min(this.options.tuning.relayIdleMs, ...rests));
  }

  /**
   * Sends the rows in order and removes those that the bus has. A send that fails ends the round for its topics: nothing of a
   * key may overtake, and rows that were not removed are read again from the oldest on. Until all topics can be published again,
   * each send is of one topic: a topic that does not exist, or has no leader, holds up only itself.
   */
  private async publish(rows: readonly OutboxRow[]): Promise<number> {
    const failed = new Set<string>();
    const done: OutboxRow[] = [];
    for (const send of sendsOf(rows, { oneTopic: this.resting.size > 0 })) {
      if (this.stopping || !this.leadership.isLeader) break;
      // Without the topics that failed: to leave out the whole send would let the next one overtake its other topics.
      const messages = send.filter(({ topic }) => !failed.has(topic));
      if (messages.length === 0) continue;
      const topics = new Set(messages.map(({ topic }) => topic));
      // Ended only when the bus has the events: tries that fail in an outage would be more spans than those of what is sent.
      const spans = startSendSpans(messages, this.options.bus);
      try {
        await this.bus.publisher.publish(spans.events);
        spans.end();
        done.push(...messages);
        for (const topic of topics) this.succeeded(topic, messages.filter((message) => message.topic === topic).length);
      } catch (error) {
        for (const topic of topics) this.rest(topic, error as Error);
        for (const topic of topics) failed.add(topic);
      }
    }
    if (done.length > 0) await deleteOutboxRows(this.leadership.connection, done);
    return done.length;
  }

  private rest(topic: string, error: Error): void {
    const messages = { away: `${topic} cannot be published`, back: `${topic} is published again` };
    const { backoff, outage } = this.resting.get(topic) ?? {
      backoff: new Backoff(100, 2_000),
      outage: new OutageLog(this.logger, messages),
    };
    this.resting.set(topic, { until: Date.now() + backoff.next(), backoff, outage });
    outage.failed({ reason: error.message });
  }

  private succeeded(topic: string, count: number): void {
    EVENTS_PUBLISHED.inc({ topic }, count);
    this.resting.get(topic)?.outage.succeeded();
    this.resting.delete(topic);
  }

  private async measure(): Promise<void> {
    if (Date.now() - this.measuredAt < MEASURE_EVERY_MS) return;
    this.measuredAt = Date.now();
    const { pending, oldestSeconds } = await measureOutbox(this.leadership.connection);
    OUTBOX_PENDING.set({ app: this.options.app }, pending);
    OUTBOX_OLDEST_SECONDS.set({ app: this.options.app }, oldestSeconds);
  }

  /** Only the leader shows the gauges of the outbox: a process that does not lead removes its values. */
  private forgetMeasures(): void {
    if (this.measuredAt === 0) return;
    this.measuredAt = 0;
    OUTBOX_PENDING.remove({ app: this.options.app });
    OUTBOX_OLDEST_SECONDS.remove({ app: this.options.app });
  }
}
