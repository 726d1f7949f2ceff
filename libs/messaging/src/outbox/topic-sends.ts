import { setMaxListeners } from 'node:events';
import type { LoggerService } from '@nestjs/common';
import { Backoff, OutageLog, sleep } from '@tandem/batching';
import { type EventBus } from '@tandem/event-bus';
import type { ResolvedEventsOptions } from '../events-options';
import { EVENTS_PUBLISHED } from '../metrics';
import { startSendSpans } from '../wire/event-spans';
import type { OutboxRow } from './outbox.repository';
import { sendsOf } from './sends';

/**
 * Another process should lead if nothing could be sent for this long, or if the published rows of a topic could not be
 * removed for this long. The other process has its own connections to the bus and to Postgres, which may still work.
 */
const RESIGN_AFTER_MS = 10_000;

/** The state of a topic whose last send failed. `until` is the time of the next attempt, by `performance.now()`. */
interface BackingOff {
  readonly until: number;
  readonly backoff: Backoff;
  readonly outage: OutageLog;
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
 * Sends rows of the outbox, each topic separately: in order, one send at a time. So no topic is delayed by another
 * topic that is slow, has no leader on the brokers, or does not exist. A topic whose published rows cannot be removed
 * does not delay other topics either, until the relay resigns. While a topic is being sent, waits after a failed send,
 * or has published rows that cannot be removed, its rows must not be read.
 */
export class TopicSends {
  private readonly backingOff = new Map<string, BackingOff>();
  private readonly sending = new Map<string, Promise<void>>();
  /** The topics whose published rows cannot be removed, each with its outage log. */
  private readonly removalOutages = new Map<string, OutageLog>();
  /** Topics whose published rows could not be removed for RESIGN_AFTER_MS. They wait for another leader. */
  private readonly unremovable = new Set<string>();
  /** Aborted by `interrupt`. */
  private waits = newWaits();
  /**
   * Topics that a read excluded because they were being sent. They may have new rows, so they are read as soon as their
   * sends have ended.
   */
  private readonly skippedWhileSending = new Set<string>();
  /** When the first send since the last successful send began, by `performance.now()`; undefined without such a send. */
  private unsentSince?: number;

  constructor(private readonly context: TopicSendsContext) {}

  /** Whether no topic is being sent, and none waits after a failure. */
  get isIdle(): boolean {
    return this.backingOff.size === 0 && this.sending.size === 0 && this.unremovable.size === 0;
  }

  /**
   * How long until the first failed topic may be read again, ms. Infinity when no topic has failed, or when failed
   * sends are not repeated any more. Topics that are being sent do not count: if such a send fails, it calls `onReady`.
   */
  get backoffMs(): number {
    if (this.isCutOff) return Infinity;
    const waiting = [...this.backingOff].filter(([topic]) => !this.sending.has(topic));
    return Math.min(Infinity, ...waiting.map(([, { until }]) => until - performance.now()));
  }

  /** Why another process should lead, as the predicate of a sentence with the subject `the relay`; undefined if none should. */
  get reasonToResign(): string | undefined {
    if (this.unremovable.size > 0) return 'cannot remove published events';
    return this.isCutOff && this.sending.size === 0 ? 'publishes nothing' : undefined;
  }

  /** Whether nothing was sent for RESIGN_AFTER_MS, and a send has failed. Failed sends are then not repeated. */
  private get isCutOff(): boolean {
    if (this.backingOff.size === 0 || this.unsentSince === undefined) return false;
    return performance.now() - this.unsentSince >= RESIGN_AFTER_MS;
  }

  /**
   * Ends the current waits, because this process lets another process lead. When this process leads again, it counts
   * the time without a successful send from zero.
   */
  resigned(): void {
    this.unsentSince = undefined;
    this.interrupt();
  }

  /** Forgets all failures, because another process leads: it sends the rows, or reports its own failures. */
  forgetFailures(): void {
    this.backingOff.clear();
    this.removalOutages.clear();
    this.resigned();
  }

  /**
   * Ends the sends that are waiting to repeat a removal, and allows reads of the rows that could not be removed. Other
   * current sends publish no more rows, even if this process leads again. Must be called when this process stops leading,
   * and when the relay stops.
   */
  interrupt(): void {
    this.unremovable.clear();
    this.waits.abort();
    this.waits = newWaits();
  }

  /** Returns the topics whose rows must not be read now. Topics that are being sent are read again after their sends. */
  excludedTopics(): string[] {
    for (const topic of this.sending.keys()) this.skippedWhileSending.add(topic);
    const [now, isCutOff] = [performance.now(), this.isCutOff];
    const waiting = [...this.backingOff].filter(([, { until }]) => isCutOff || until > now).map(([topic]) => topic);
    return [...new Set([...this.sending.keys(), ...waiting, ...this.unremovable])];
  }

  /**
   * Forgets the failures of all topics except the given ones, and logs each forgotten failure as ended.
   * @param topics every topic of which the outbox may have rows
   */
  keepFailuresOf(topics: Iterable<string>): void {
    const kept = new Set(topics);
    for (const topic of this.backingOff.keys()) if (!kept.has(topic)) this.succeeded(topic);
    for (const topic of this.removalOutages.keys()) if (!kept.has(topic)) this.removalSucceeded(topic);
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

  /** Sends rows of a topic, in order, and then removes the rows that were sent. @returns whether all rows were sent and removed */
  private async send(topic: string, rows: readonly OutboxRow[]): Promise<boolean> {
    const { bus, options, mayPublish } = this.context;
    const { signal } = this.waits;
    const sent: OutboxRow[] = [];
    for (const send of sendsOf(rows)) {
      if (signal.aborted || !mayPublish()) break;
      // The spans end only when the bus has the events. If each failed attempt recorded a span, an outage would record
      // more spans than there are events.
      const spans = startSendSpans(send, options.bus);
      try {
        await bus.publisher.publish(spans.events);
      } catch (error) {
        this.failed(topic, error as Error);
        break;
      }
      spans.end();
      sent.push(...send);
      EVENTS_PUBLISHED.inc({ topic }, send.length);
      this.unsentSince = undefined;
      this.succeeded(topic);
    }
    const removed = sent.length === 0 || (await this.remove(topic, sent, signal));
    return removed && sent.length === rows.length;
  }

  /**
   * Removes rows that the bus has. A failed removal is repeated. Meanwhile the rows are not read, because rows that are
   * read again are also published again.
   *
   * @returns false when this process no longer leads, or could not remove the rows for RESIGN_AFTER_MS
   */
  private async remove(topic: string, sent: readonly OutboxRow[], signal: AbortSignal): Promise<boolean> {
    const { remove, mayPublish } = this.context;
    const [began, backoff] = [performance.now(), new Backoff(100, 2_000)];
    // This process has lost its connection, and leads again, perhaps on a server that was a standby. On that server, other
    // rows may have the ids of these rows.
    if (signal.aborted && mayPublish()) return false;
    for (;;) {
      try {
        await remove(sent);
        this.removalSucceeded(topic);
        return true;
      } catch (error) {
        await sleep(backoff.next(), signal);
        // If this process no longer leads, the process that leads reads the rows again. The check comes after the wait: when
        // a connection is cut, its statement fails first, and only then does this process learn that it no longer leads.
        if (signal.aborted || !mayPublish()) return false;
        this.removalFailed(topic, error as Error);
      }
      if (performance.now() - began < RESIGN_AFTER_MS) continue;
      this.unremovable.add(topic);
      return false;
    }
  }

  private removalFailed(topic: string, error: Error): void {
    const messages = {
      failed: `published events of ${topic} cannot be removed from the outbox`,
      recovered: `published events of ${topic} are removed from the outbox again`,
    };
    const outage = this.removalOutages.get(topic) ?? new OutageLog(this.context.logger, messages);
    this.removalOutages.set(topic, outage);
    outage.failed({ reason: error.message });
  }

  private removalSucceeded(topic: string): void {
    this.removalOutages.get(topic)?.succeeded();
    this.removalOutages.delete(topic);
  }

  private failed(topic: string, error: Error): void {
    const messages = { failed: `${topic} cannot be published`, recovered: `${topic} is published again` };
    const { backoff, outage } = this.backingOff.get(topic) ?? {
      backoff: new Backoff(100, 2_000),
      outage: new OutageLog(this.context.logger, messages),
    };
    this.backingOff.set(topic, { until: performance.now() + backoff.next(), backoff, outage });
    outage.failed({ reason: error.message });
  }

  private succeeded(topic: string): void {
    this.backingOff.get(topic)?.outage.succeeded();
    this.backingOff.delete(topic);
    if (this.isIdle) this.unsentSince = undefined;
  }
}

/** Returns a controller on whose signal any number of topics can wait without Node's warning about a memory leak. */
function newWaits(): AbortController {
  const waits = new AbortController();
  setMaxListeners(Infinity, waits.signal);
  return waits;
}
