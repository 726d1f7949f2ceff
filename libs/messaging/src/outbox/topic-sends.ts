import type { LoggerService } from '@nestjs/common';
import { Backoff, OutageLog } from '@tandem/batching';
import { type EventBus } from '@tandem/event-bus';
import type { ResolvedEventsOptions } from '../events-options';
import { EVENTS_PUBLISHED } from '../metrics';
import { startSendSpans } from '../wire/event-spans';
import type { OutboxRow } from './outbox.repository';
import { sendsOf } from './sends';

/** After this time in which nothing could be sent, another process should lead, because it may reach the bus. */
const RESIGN_AFTER_MS = 10_000;

/**
 * The state of a topic whose last send failed, or whose published rows could not be removed. `until` is the time of the
 * next attempt, by `performance.now()`.
 */
interface BackingOff {
  readonly until: number;
  readonly backoff: Backoff;
  readonly publishing: OutageLog;
  readonly removing: OutageLog;
}

export interface TopicSendsContext {
  readonly bus: EventBus;
  readonly options: Pick<ResolvedEventsOptions, 'bus'>;
  readonly logger: Pick<LoggerService, 'log' | 'warn'>;
  /** Removes rows that the bus has acknowledged. */
  readonly remove: (rows: readonly OutboxRow[]) => Promise<void>;
  /** Whether this process may still send: it is the leader, and the relay is not stopping. */
  readonly mayPublish: () => boolean;
  /** Called when rows of a topic should be read again. */
  readonly onReady: () => void;
}

/**
 * Sends rows of the outbox, each topic separately: in order, one send at a time. A topic that is slow, that has no
 * leader on the brokers or that does not exist delays only itself, as does a topic whose published rows cannot be removed.
 * While a topic is being sent, or waits after a failure, its rows must not be read.
 */
export class TopicSends {
  private readonly backingOff = new Map<string, BackingOff>();
  private readonly sending = new Map<string, Promise<void>>();
  /**
   * Topics that a read excluded because they were being sent. They may have new rows, so they are to be read again
   * afterwards.
   */
  private readonly skippedWhileSending = new Set<string>();
  /** When the first send began that no success has followed, by `performance.now()`; undefined if there is none. */
  private unsentSince?: number;

  constructor(private readonly context: TopicSendsContext) {}

  /** Whether no topic is being sent, and none waits after a failure. */
  get isIdle(): boolean {
    return this.backingOff.size === 0 && this.sending.size === 0;
  }

  /**
   * Time until the first of the failed topics is to be read again, ms; Infinity when there is none. Topics that are
   * being sent do not count, because a send that fails again calls `onReady`.
   */
  get backoffMs(): number {
    if (this.isCutOff) return Infinity;
    const waiting = [...this.backingOff].filter(([topic]) => !this.sending.has(topic));
    return Math.min(Infinity, ...waiting.map(([, { until }]) => until - performance.now()));
  }

  /** Whether another process should lead: nothing can be sent, and the current sends have ended. */
  get shouldResign(): boolean {
    return this.isCutOff && this.sending.size === 0;
  }

  /**
   * Whether nothing was sent for RESIGN_AFTER_MS, and a topic has failed. Failed sends are then not repeated. A failed
   * removal alone does not count, because the rows were sent.
   */
  private get isCutOff(): boolean {
    if (this.backingOff.size === 0 || this.unsentSince === undefined) return false;
    return performance.now() - this.unsentSince >= RESIGN_AFTER_MS;
  }

  /** Call it when this process lets another one lead. When it leads again, the time without a success starts from zero. */
  resigned(): void {
    this.unsentSince = undefined;
  }

  /** Forgets all failures, because another process leads: it sends the rows, or reports its own failures. */
  forgetFailures(): void {
    this.backingOff.clear();
    this.unsentSince = undefined;
  }

  /** Returns the topics whose rows must not be read now. Topics that are being sent are read again after their sends. */
  excludedTopics(): string[] {
    for (const topic of this.sending.keys()) this.skippedWhileSending.add(topic);
    const [now, isCutOff] = [performance.now(), this.isCutOff];
    const waiting = [...this.backingOff].filter(([, { until }]) => isCutOff || until > now).map(([topic]) => topic);
    return [...new Set([...this.sending.keys(), ...waiting])];
  }

  /**
   * Forgets the failures of all topics except the given ones, and logs each forgotten failure as ended. Call it when the
   * outbox has no rows of the other topics.
   */
  keepFailuresOf(topics: Iterable<string>): void {
    const kept = new Set(topics);
    for (const topic of this.backingOff.keys()) if (!kept.has(topic)) this.succeeded(topic);
  }

  /**
   * Starts to send the oldest rows of a topic.
   *
   * @param mayHaveMore whether the outbox may have more rows of the topic
   */
  start(topic: string, rows: readonly OutboxRow[], mayHaveMore: boolean): void {
    this.unsentSince ??= performance.now();
    const sending = this.send(topic, rows).then((sentAll) => {
      this.sending.delete(topic);
      if (this.isIdle) this.unsentSince = undefined;
      const wasSkipped = this.skippedWhileSending.delete(topic);
      if (!sentAll || mayHaveMore || wasSkipped) this.context.onReady();
    });
    this.sending.set(topic, sending);
  }

  /** Resolves when the current sends have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.sending.values());
  }

  /** @returns whether all rows were sent and removed */
  private async send(topic: string, rows: readonly OutboxRow[]): Promise<boolean> {
    const { bus, options, mayPublish, remove } = this.context;
    const sent: OutboxRow[] = [];
    let failure: Error | undefined;
    for (const send of sendsOf(rows)) {
      if (!mayPublish()) break;
      // The spans end only when the bus has the events. If each failed attempt recorded a span, an outage would record
      // more spans than there are events.
      const spans = startSendSpans(send, options.bus);
      try {
        await bus.publisher.publish(spans.events);
      } catch (error) {
        failure = error as Error;
        break;
      }
      spans.end();
      sent.push(...send);
      EVENTS_PUBLISHED.inc({ topic }, send.length);
      this.unsentSince = undefined;
      this.backingOff.get(topic)?.publishing.succeeded();
    }
    try {
      if (sent.length > 0) {
        await remove(sent);
        this.succeeded(topic);
      }
    } catch (error) {
      // If this process no longer leads, the process that leads reads the rows again.
      if (mayPublish()) this.failed(topic, 'removing', error as Error);
      return false;
    }
    if (failure) this.failed(topic, 'publishing', failure);
    return sent.length === rows.length;
  }

  private failed(topic: string, step: 'publishing' | 'removing', error: Error): void {
    const state = this.backingOff.get(topic) ?? { backoff: new Backoff(100, 2_000), ...this.outagesOf(topic) };
    this.backingOff.set(topic, { ...state, until: performance.now() + state.backoff.next() });
    state[step].failed({ reason: error.message });
  }

  private outagesOf(topic: string): Pick<BackingOff, 'publishing' | 'removing'> {
    const { logger } = this.context;
    return {
      publishing: new OutageLog(logger, {
        failed: `${topic} cannot be published`,
        recovered: `${topic} is published again`,
      }),
      removing: new OutageLog(logger, {
        failed: `published events of ${topic} cannot be removed from the outbox, and are published again`,
        recovered: `published events of ${topic} are removed from the outbox again`,
      }),
    };
  }

  private succeeded(topic: string): void {
    const state = this.backingOff.get(topic);
    state?.publishing.succeeded();
    state?.removing.succeeded();
    this.backingOff.delete(topic);
    if (this.isIdle) this.unsentSince = undefined;
  }
}
