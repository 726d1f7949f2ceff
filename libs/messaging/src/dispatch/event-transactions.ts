import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { EVENTS_CONSUMED, HANDLER_SECONDS } from '../metrics';
import { Outbox } from '../outbox/outbox';
import type { ReceivedEvent } from '../wire/cloud-event';
import { type EventSpans, startProcessSpans } from '../wire/event-spans';
import { kindOf } from '../failure/attempts';
import { describeError, PermanentEventError } from '../failure/dispatch.errors';
import { EventBatch } from './event-batch';

/** The app's handlers, by topic. */
export interface EventHandlers {
  /** Whether the topic's handler may need an event with this value: see `EventHandlerOptions.mayConcern`. */
  mayConcern(topic: string, value: Buffer): boolean;
  /** Whether the topic's handler claims its events itself, in its one statement. */
  isOneStatement(topic: string): boolean;
  /** Calls the topic's handler. */
  handle(topic: string, events: readonly ReceivedEvent[], batch: EventBatch): Promise<void>;
}

/** Records events as handled. @returns the ids of events that are new to this app */
export type Claim = (manager: EntityManager, eventIds: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Handles events of one topic in one transaction, which contains their inbox rows, the handler's writes, and the events
 * that the handler adds. The events of a handler with `oneStatement` are instead handled by its single statement.
 */
@Injectable()
export class EventTransactions {
  private readonly logger = new Logger(EventTransactions.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly dataSource: DataSource,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /**
   * Handles the new events among `events`: either all new events, or none.
   *
   * @throws the error of the handler or of the database
   */
  async handle(
    topic: string,
    events: readonly ReceivedEvent[],
    claim: Claim,
    handlers: Pick<EventHandlers, 'handle'>,
  ): Promise<void> {
    const byId = new Map(events.map((event) => [event.id, event]));
    const stopTimer = HANDLER_SECONDS.startTimer({ topic });
    let batch: EventBatch | undefined;
    let spans: EventSpans<ReceivedEvent> | undefined;
    await this.outbox
      .transaction(async (manager) => {
        const fresh = await claim(manager, [...byId.keys()]);
        if (fresh.size === 0) return;
        const wanted = [...byId.values()].filter(({ id }) => fresh.has(id));
        spans = startProcessSpans(wanted, this.options);
        batch = new EventBatch(topic, manager);
        await handlers.handle(topic, spans.events, batch);
      })
      .catch((error: unknown) => {
        spans?.end({ type: kindOf(error), reason: describeError(error) });
        throw error;
      })
      .finally(stopTimer);
    spans?.end();
    const handled = spans?.events.length ?? 0;
    EVENTS_CONSUMED.inc({ topic, outcome: 'handled' }, handled);
    EVENTS_CONSUMED.inc({ topic, outcome: 'duplicate' }, events.length - handled);
    if (batch) await this.runCallbacks(batch);
  }

  /**
   * Handles events by the single statement of their handler, which also claims them.
   *
   * @throws the same errors as `handle`, and PermanentEventError when the handler did not call `claimed`: such a
   *   handler may not have claimed the events, and could then handle them twice
   */
  async handleByStatement(
    topic: string,
    events: readonly ReceivedEvent[],
    handlers: Pick<EventHandlers, 'handle'>,
  ): Promise<void> {
    const unique = [...new Map(events.map((event) => [event.id, event])).values()];
    const stopTimer = HANDLER_SECONDS.startTimer({ topic });
    const spans = startProcessSpans(unique, this.options);
    const batch = new EventBatch(topic, this.dataSource.manager, this.options.group);
    try {
      await handlers.handle(topic, spans.events, batch);
    } catch (error) {
      spans.end({ type: kindOf(error), reason: describeError(error) });
      throw error;
    } finally {
      stopTimer();
    }
    spans.end();
    const { claimedCount } = batch;
    if (claimedCount === undefined) throw new PermanentEventError(`the handler of ${topic} did not call batch.claimed`);
    EVENTS_CONSUMED.inc({ topic, outcome: 'handled' }, claimedCount);
    EVENTS_CONSUMED.inc({ topic, outcome: 'duplicate' }, events.length - claimedCount);
    await this.runCallbacks(batch);
  }

  private async runCallbacks(batch: EventBatch): Promise<void> {
    for (const callback of batch.takeCallbacks()) {
      try {
        await callback();
      } catch (error) {
        // The events are handled and committed: a failed callback must not cause a retry.
        this.logger.error(`afterCommit of ${batch.topic} failed: ${describeError(error)}`);
      }
    }
  }
}
