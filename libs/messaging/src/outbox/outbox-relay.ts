import { Inject, Injectable, Logger } from '@nestjs/common';
import { Backoff, Gathering, OutageLog, sleep, WakeSignal } from '@tandem/batching';
import { isDatabaseUnavailable, isTimeout } from '@tandem/database';
import { type AppendedRow, EVENT_BUS, type EventBus } from '@tandem/event-bus';
import { DataSource } from 'typeorm';
import { describeError } from '../failure/dispatch.errors';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { EVENTS_PUBLISHED, OUTBOX_OLDEST_SECONDS, OUTBOX_PENDING } from '../metrics';
import { recordsSpans } from '@tandem/tracing';
import {
  deleteOutboxRows,
  measureOutbox,
  moveOutbox,
  type OutboxRow,
  readOutbox,
  type ReadLimits,
} from './outbox.repository';
import { RelayLeadership } from './relay-leadership';
import { TopicSends } from './topic-sends';

const MEASURE_EVERY_MS = 5_000;
const LATER_MS = 200;
/** How long a leader that resigns waits for the current sends to end. */
const WAIT_FOR_SENDS_MS = 2_000;
/** After a failed move, the relay sends the rows topic by topic for this long, before it tries to move rows again. */
const MOVE_AGAIN_MS = 5_000;
/**
 * A read of a topic ends with the row at which the total size of the values reaches this number of bytes. Without this
 * limit, a batch of large events (up to 900,000 bytes each) could exhaust the memory.
 */
const READ_BYTES = 4 * 1024 * 1024;

/**
 * Publishes the committed rows of the outbox in order per topic and key, and retries until the bus has them. Only one
 * process of the app publishes at a time. During an outage of Postgres or of the bus, the relay waits and retries.
 */
@Injectable()
export class OutboxRelay {
  private readonly logger = new Logger(OutboxRelay.name);
  private readonly wakes = new WakeSignal();
  private readonly backoff = new Backoff(100, 2_000);
  private readonly outage = new OutageLog(this.logger, {
    failed: 'the relay cannot read the outbox',
    recovered: 'the relay reads the outbox again',
  });
  private readonly leadership: RelayLeadership;
  private readonly moveOutage = new OutageLog(this.logger, {
    failed: 'the relay cannot move rows to the bus by one statement, and sends them',
    recovered: 'the relay moves rows to the bus again',
  });
  /** The time from which rows may be moved again after a failed move, by `performance.now()`. */
  private moveAgainAt = -Infinity;
  private readonly gathering = new Gathering();
  private readonly sends: TopicSends;
  private readonly stopped = new AbortController();
  private running?: Promise<void>;
  /** The time at which this process last measured the outbox, by `performance.now()`; undefined while it exports no gauges. */
  private measuredAt?: number;
  private later?: NodeJS.Timeout;

  constructor(
    dataSource: DataSource,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    const { url } = dataSource.options as { url?: string };
    if (!url) throw new Error('the relay needs a data source that is configured by a URL');
    this.leadership = new RelayLeadership(url, `${options.app}-relay`, () => {
      if (!this.leadership.isLeader) this.sends.interrupt();
      this.wakes.wake();
    });
    this.sends = new TopicSends({
      bus,
      options,
      logger: this.logger,
      remove: (rows) => deleteOutboxRows(this.leadership.connection, rows),
      mayPublish: () => !this.stopping && this.leadership.isLeader,
      onReady: () => this.wakes.wake(),
    });
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Makes the leader, which is this process or another one, send the added events now. */
  wake(): void {
    if (this.leadership.isLeader) this.wakes.wake();
    else this.leadership.notifyLeader();
  }

  /**
   * Does the same as `wake`, but up to `LATER_MS` later. It is called for events that no app consumes, so that they are
   * sent together with other events.
   */
  wakeLater(): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.wake();
    }, LATER_MS).unref();
  }

  /** Whether this process publishes on behalf of all replicas of the app. */
  get leads(): boolean {
    return this.leadership.isLeader;
  }

  private get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  /**
   * Stops the relay, and resolves when the current sends have ended and an attempt was made to remove their rows. Rows
   * that could not be removed are published again by the next leader. Afterwards this relay publishes nothing.
   */
  async stop(): Promise<void> {
    this.stopped.abort();
    this.sends.interrupt();
    clearTimeout(this.later);
    this.wakes.wake();
    await this.running;
    await this.sends.settled();
    await this.leadership.resign();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        const leads = await this.leadership.tryToLead();
        const reason = leads ? this.sends.reasonToResign : undefined;
        const pause = leads && reason === undefined ? await this.step() : 0;
        this.backoff.reset();
        this.outage.succeeded();
        if (!leads) await this.standBy(this.options.tuning.relayStandbyMs);
        else if (reason !== undefined) await this.letOthersLead(reason);
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

  /** Waits as a standby. Wake-ups do not end the wait, because a standby must not send. */
  private async standBy(ms: number): Promise<void> {
    this.forgetMeasures();
    this.sends.forgetFailures();
    await sleep(ms, this.stopped.signal);
  }

  /**
   * Resigns, and pauses for longer than a standby pauses between two attempts to lead, so that a standby leads next.
   * Meanwhile, this process keeps its gauges, so that a Prometheus alert about pending events stays active. It also
   * keeps the failures of topics, so that an outage is logged only once if this process leads next after all.
   */
  private async letOthersLead(reason: string): Promise<void> {
    this.logger.warn({ msg: `the relay ${reason}, so it lets another process of the app lead` });
    // The current sends get time to end, because the next leader repeats the sends whose rows were not removed. The time
    // is limited, because a send that hangs, or whose rows cannot be removed, must not delay the other topics.
    await Promise.race([this.sends.settled(), sleep(WAIT_FOR_SENDS_MS, this.stopped.signal)]);
    // If the relay is being stopped, it does not resign here: `stop` resigns after all sends have ended, because only a
    // leader can remove their rows.
    if (this.stopping) return;
    await this.leadership.resign();
    this.sends.resigned();
    await sleep(2 * this.options.tuning.relayStandbyMs, this.stopped.signal);
  }

  /** Moves rows to the bus, or reads rows and starts to send them. @returns how long to pause, ms */
  private async step(): Promise<number> {
    await this.measure();
    await sleep(this.gathering.waitMs(), this.stopped.signal);
    const limits = { rows: this.options.tuning.relayBatch, bytes: READ_BYTES };
    const moved = await this.move(limits);
    if (moved === undefined) await this.readAndSend(limits);
    return moved === 'more' ? 0 : Math.max(1, Math.min(this.options.tuning.relayIdleMs, this.sends.backoffMs));
  }

  /**
   * Publishes rows in one statement, if the bus is in the app's own database. Does nothing in three cases:
   * - while a topic is being sent or waits after a failure
   * - for `MOVE_AGAIN_MS` after a failed move
   * - while spans are recorded, because spans need the events in this process
   *
   * @returns `more` if there may be more rows, otherwise `all`; undefined when rows cannot be moved now, so that each
   *   topic must be published separately
   */
  private async move(limits: ReadLimits): Promise<'more' | 'all' | undefined> {
    const { rowPublisher } = this.bus;
    if (!rowPublisher || !this.sends.isIdle || recordsSpans() || performance.now() < this.moveAgainAt) return undefined;
    try {
      const { rows, bytes, appended } = await moveOutbox(this.leadership.connection, limits, rowPublisher);
      this.gathering.took(rows);
      this.moveOutage.succeeded();
      rowPublisher.wake(appended);
      for (const [topic, events] of eventsByTopic(appended)) EVENTS_PUBLISHED.inc({ topic }, events);
      return rows >= limits.rows || bytes >= limits.bytes ? 'more' : 'all';
    } catch (error) {
      if (isDatabaseUnavailable(error) || isTimeout(error)) throw error;
      this.moveOutage.failed({ reason: describeError(error) });
      this.moveAgainAt = performance.now() + MOVE_AGAIN_MS;
      return undefined;
    }
  }

  private async readAndSend(limits: ReadLimits): Promise<void> {
    const excluded = this.sends.excludedTopics();
    const rows = await readOutbox(this.leadership.connection, limits, excluded);
    this.gathering.took(rows.length);
    const topics = new Map<string, OutboxRow[]>();
    for (const row of rows) {
      const ofTopic = topics.get(row.topic);
      if (ofTopic) ofTopic.push(row);
      else topics.set(row.topic, [row]);
    }
    this.sends.keepFailuresOf([...excluded, ...topics.keys()]);
    for (const [topic, ofTopic] of topics) {
      const bytes = ofTopic.reduce((sum, { value }) => sum + value.length, 0);
      this.sends.start(topic, ofTopic, ofTopic.length >= limits.rows || bytes >= limits.bytes);
    }
  }

  private async measure(): Promise<void> {
    const now = performance.now();
    if (this.measuredAt !== undefined && now - this.measuredAt < MEASURE_EVERY_MS) return;
    this.measuredAt = now;
    const { pending, oldestSeconds } = await measureOutbox(this.leadership.connection);
    OUTBOX_PENDING.set({ app: this.options.app }, pending);
    OUTBOX_OLDEST_SECONDS.set({ app: this.options.app }, oldestSeconds);
  }

  /** Removes the values of the outbox's gauges, because only the leader exports them. */
  private forgetMeasures(): void {
    if (this.measuredAt === undefined) return;
    this.measuredAt = undefined;
    OUTBOX_PENDING.remove({ app: this.options.app });
    OUTBOX_OLDEST_SECONDS.remove({ app: this.options.app });
  }
}

/** Returns the number of appended events by topic: an event counts once, not once per consumer group. */
function eventsByTopic(appended: readonly AppendedRow[]): Map<string, number> {
  const partitions = new Map(appended.map((row) => [`${row.topic}/${row.partition}`, row]));
  const topics = new Map<string, number>();
  for (const { topic, events } of partitions.values()) topics.set(topic, (topics.get(topic) ?? 0) + events);
  return topics;
}
