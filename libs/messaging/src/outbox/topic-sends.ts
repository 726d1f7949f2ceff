import type { LoggerService } from '@nestjs/common';
import { Backoff, OutageLog } from '@tandem/batching';
import { type EventBus } from '@tandem/event-bus';
import type { ResolvedEventsOptions } from '../events.options';
import { EVENTS_PUBLISHED } from '../metrics';
import { startSendSpans } from '../wire/event-spans';
import type { OutboxRow } from './outbox.repository';
import { sendsOf } from './sends';

/** A topic whose last send failed. */
interface Rest {
  readonly until: number;
  readonly backoff: Backoff;
  readonly outage: OutageLog;
}

export interface TopicSendsContext {
  readonly bus: EventBus;
  readonly options: Pick<ResolvedEventsOptions, 'bus'>;
  readonly logger: Pick<LoggerService, 'log' | 'warn'>;
  /** Removes rows that the bus has. */
  readonly remove: (rows: readonly OutboxRow[]) => Promise<void>;
  /** Whether this process may still send. */
  readonly mayPublish: () => boolean;
  /** Called when rows of a topic should be read again. */
  readonly onReady: () => void;
}

/**
 * Sends rows of the outbox, each topic by itself: in order, one send after the other. A topic that is slow, has no leader or does
 * not exist holds up only itself. Rows of a topic that is being sent, or that failed a moment ago, are not to be read.
 */
export class TopicSends {
  private readonly resting = new Map<string, Rest>();
  private readonly sending = new Map<string, Promise<void>>();
  /** Topics that a read left out because they were being sent: new rows may have come meanwhile. */
  private readonly leftOut = new Set<string>();

  constructor(private readonly context: TopicSendsContext) {}

  /** Whether no topic is being sent, and none rests. */
  get isIdle(): boolean {
    return this.resting.size === 0 && this.sending.size === 0;
  }

  /** How long until a resting topic is tried again, ms; Infinity when none rests. */
  get restMs(): number {
    return Math.min(Infinity, ...[...this.resting.values()].map(({ until }) => until - Date.now()));
  }

  /** The topics whose rows must not be read now. */
  leaveOut(): string[] {
    for (const topic of this.sending.keys()) this.leftOut.add(topic);
    const now = Date.now();
    const resting = [...this.resting].filter(([, { until }]) => until > now).map(([topic]) => topic);
    return [...new Set([...this.sending.keys(), ...resting])];
  }

  /** Starts to send the oldest rows of a topic. @param mayHaveMore whether the outbox may have more of it already */
  start(topic: string, rows: readonly OutboxRow[], mayHaveMore: boolean): void {
    const sending = this.send(topic, rows)
      // Rows that were not removed are read again, by whoever has the lead then.
      .catch(() => false)
      .then((sentAll) => {
        this.sending.delete(topic);
        if (this.leftOut.delete(topic) || (sentAll && mayHaveMore) || !sentAll) this.context.onReady();
      });
    this.sending.set(topic, sending);
  }

  /** Resolves when no topic is being sent any more. */
  async settled(): Promise<void> {
    await Promise.all(this.sending.values());
  }

  /** @returns whether all rows were sent and removed */
  private async send(topic: string, rows: readonly OutboxRow[]): Promise<boolean> {
    const { bus, options, mayPublish, remove } = this.context;
    const sent: OutboxRow[] = [];
    for (const send of sendsOf(rows)) {
      if (!mayPublish()) break;
      // Ended only when the bus has the events: tries that fail in an outage would be more spans than those of what is sent.
      const spans = startSendSpans(send, options.bus);
      try {
        await bus.publisher.publish(spans.events);
      } catch (error) {
        this.rest(topic, error as Error);
        break;
      }
      spans.end();
      sent.push(...send);
      this.succeeded(topic, send.length);
    }
    if (sent.length > 0) await remove(sent);
    return sent.length === rows.length;
  }

  private rest(topic: string, error: Error): void {
    const messages = { away: `${topic} cannot be published`, back: `${topic} is published again` };
    const { backoff, outage } = this.resting.get(topic) ?? {
      backoff: new Backoff(100, 2_000),
      outage: new OutageLog(this.context.logger, messages),
    };
    this.resting.set(topic, { until: Date.now() + backoff.next(), backoff, outage });
    outage.failed({ reason: error.message });
  }

  private succeeded(topic: string, count: number): void {
    EVENTS_PUBLISHED.inc({ topic }, count);
    this.resting.get(topic)?.outage.succeeded();
    this.resting.delete(topic);
  }
}
