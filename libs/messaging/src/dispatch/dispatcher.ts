import type { EventDefinition } from '@tandem/contracts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { lockReplay, markReplayed, markReplayFailed, type ReplayRequest } from '../dead-letter/dead-letter.repository';
import { DeadLetterWriter } from '../dead-letter/dead-letter-writer';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options';
import { claimEvents, claimReplay } from '../inbox/inbox.repository';
import { EVENTS_CONSUMED, HANDLER_FAILURES, HANDLER_SECONDS } from '../metrics';
import { Outbox } from '../outbox/outbox';
import { Batcher } from '../timing/batcher';
import { decodeEvent, type ReceivedEvent } from '../wire/cloud-event';
import type { IncomingMessage } from '../wire/message';
import { derivedEventId, isUuid } from '../wire/uuid';
import { AttemptsExhaustedError, type FailureKind, withAttempts } from './attempts';
import { describeError, isPermanent, SharedTransactionError } from './dispatch.errors';
import { EventBatch } from './event-batch';

/** The app's handlers, by topic. */
export interface EventHandlers {
  /** Whether the handler of the topic may have anything to do with such a value: see `EventHandlerOptions.mayConcern`. */
  mayConcern(topic: string, value: Buffer): boolean;
  /** Calls the handler of the topic. */
  handle(topic: string, events: readonly ReceivedEvent[], batch: EventBatch): Promise<void>;
}

/** A message that is an event of its topic. */
interface Delivery {
  readonly message: IncomingMessage;
  readonly event: ReceivedEvent;
}

/** Handles some deliveries of one topic in one transaction. */
type Transaction = (deliveries: readonly Delivery[]) => Promise<void>;

/** Tells, and notes, which events are new to this app. */
type Claim = (manager: EntityManager, eventIds: readonly string[]) => Promise<ReadonlySet<string>>;

const NEVER = new AbortController().signal;

/**
 * Takes messages through decode → inbox → handler → commit, whatever bus they came from. What several partitions of a topic have
 * ready at the same time shares one transaction. When that fails, each partition goes on by itself, with smaller and smaller
 * batches until the event that fails is alone; that one is tried again with pauses, and then becomes a dead letter.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly definitions: Map<string, EventDefinition<object>>;
  private readonly batchers = new Map<string, Batcher<readonly Delivery[], void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly deadLetters: DeadLetterWriter,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    this.definitions = new Map(options.topology.map(({ event }) => [event.topic, event]));
  }

  /**
   * Handles what one partition has ready. Resolves when every message is done with: handled, skipped, or a dead letter.
   *
   * @throws DeliveryAbortedError when the signal is aborted before; then some may be done, and the inbox skips those
   */
  async dispatch(messages: readonly IncomingMessage[], handlers: EventHandlers, signal: AbortSignal): Promise<void> {
    const topic = messages[0]?.topic;
    if (topic === undefined) return;
    const deliveries: Delivery[] = [];
    let skipped = 0;
    for (const message of messages) {
      const concerns = message.value === null || handlers.mayConcern(topic, message.value);
      const event = concerns ? await this.decode(message, signal) : null;
      if (event !== null) deliveries.push({ message, event });
      if (!concerns) skipped++;
    }
    if (skipped > 0) EVENTS_CONSUMED.inc({ topic, outcome: 'skipped' }, skipped);
    if (deliveries.length > 0) await this.handleShared(topic, deliveries, handlers, signal);
  }

  /** Handles a dead letter again. Its failure leaves it dead; an event that was handled before is only marked. */
  async replay(request: ReplayRequest, handlers: EventHandlers, signal: AbortSignal = NEVER): Promise<void> {
    const { topic } = request.message;
    const name = `replay of dead letter ${request.id} (${topic})`;
    const claim: Claim = async (manager, [id = '']) => {
      if (!(await lockReplay(manager, request.id))) return new Set();
      await markReplayed(manager, request.id);
      return new Set((await claimReplay(manager, this.options.group, id)) ? [id] : []);
    };
    const onFailure = (error: unknown, kind: FailureKind, attempt: number): void =>
      this.noteFailure(topic, name, error, kind, attempt);
    const options = { tuning: this.options.tuning, signal, onFailure };
    try {
      // A message that is no event of its topic fails the replay as a handler does.
      await withAttempts(
        async () => this.handleOnce(topic, [decodeEvent(request.message, this.definitionOf(topic))], claim, handlers),
        { ...options, attempts: this.options.tuning.handlerAttempts },
      );
      this.logger.log(`${name}: done`);
      EVENTS_CONSUMED.inc({ topic, outcome: 'replayed' });
    } catch (error) {
      if (!(error instanceof AttemptsExhaustedError)) throw error;
      const reason = describeError(error.cause);
      this.logger.error(`${name} failed: ${reason}`);
      await withAttempts(() => markReplayFailed(this.dataSource.manager, request.id, reason, error.attempts), {
        ...options,
        attempts: this.options.tuning.handlerAttempts,
      });
    }
  }

  private async decode(message: IncomingMessage, signal: AbortSignal): Promise<ReceivedEvent | null> {
    try {
      return decodeEvent(message, this.definitionOf(message.topic));
    } catch (error) {
      await this.writeDeadLetter(message, new AttemptsExhaustedError(1, error), signal);
      return null;
    }
  }

  /** One try together with whatever else of the topic waits; what fails there goes on alone. */
  private async handleShared(
    topic: string,
    deliveries: readonly Delivery[],
    handlers: EventHandlers,
    signal: AbortSignal,
  ): Promise<void> {
    const alone: Transaction = (some) => this.handleAll(topic, some, handlers);
    const work = (): Promise<void> => this.batcherOf(topic, handlers).add(deliveries);
    try {
      await this.try(topic, deliveries, 1, signal, work);
    } catch (error) {
      if (!(error instanceof AttemptsExhaustedError)) throw error;
      if (error.cause instanceof SharedTransactionError) return this.handleAlone(topic, deliveries, alone, signal);
      await this.goOn(topic, deliveries, alone, signal, error);
    }
  }

  /** @param failedTries of a single event, before this */
  private async handleAlone(
    topic: string,
    deliveries: readonly Delivery[],
    transaction: Transaction,
    signal: AbortSignal,
    failedTries = 0,
  ): Promise<void> {
    const attempts = deliveries.length === 1 ? this.options.tuning.handlerAttempts : 1;
    try {
      await this.try(topic, deliveries, attempts, signal, () => transaction(deliveries), failedTries);
    } catch (error) {
      if (!(error instanceof AttemptsExhaustedError)) throw error;
      await this.goOn(topic, deliveries, transaction, signal, error);
    }
  }

  /** After a failure: smaller batches, in order, until each event is handled or is the one that fails. */
  private async goOn(
    topic: string,
    deliveries: readonly Delivery[],
    transaction: Transaction,
    signal: AbortSignal,
    error: AttemptsExhaustedError,
  ): Promise<void> {
    const [first] = deliveries;
    if (deliveries.length > 1) {
      const middle = Math.ceil(deliveries.length / 2);
      await this.handleAlone(topic, deliveries.slice(0, middle), transaction, signal);
      await this.handleAlone(topic, deliveries.slice(middle), transaction, signal);
    } else if (first !== undefined) {
      const isLast = isPermanent(error.cause) || error.attempts >= this.options.tuning.handlerAttempts;
      if (isLast) await this.writeDeadLetter(first.message, error, signal);
      else await this.handleAlone(topic, deliveries, transaction, signal, error.attempts);
    }
  }

  private batcherOf(topic: string, handlers: EventHandlers): Batcher<readonly Delivery[], void> {
    let batcher = this.batchers.get(topic);
    if (!batcher) {
      const { concurrency, batchMax } = this.options.tuning;
      const limits = { concurrency, maxSize: batchMax, sizeOf: (deliveries: readonly Delivery[]) => deliveries.length };
      batcher = new Batcher<readonly Delivery[], void>(limits, async (lists) => {
        await this.handleAll(topic, lists.flat(), handlers).catch((error: unknown) => {
          throw lists.length === 1 ? error : new SharedTransactionError(error);
        });
        return lists.map(() => undefined);
      });
      this.batchers.set(topic, batcher);
    }
    return batcher;
  }

  private async handleAll(topic: string, deliveries: readonly Delivery[], handlers: EventHandlers): Promise<void> {
    const events = deliveries.map(({ event }) => event);
    const claim: Claim = (manager, ids) => claimEvents(manager, this.options.group, ids);
    const handled = await this.handleOnce(topic, events, claim, handlers);
    EVENTS_CONSUMED.inc({ topic, outcome: 'handled' }, handled);
    if (handled < events.length) EVENTS_CONSUMED.inc({ topic, outcome: 'duplicate' }, events.length - handled);
  }

  /** The inbox rows and the handler's effect, in one transaction. @returns how many events were new */
  private async handleOnce(
    topic: string,
    events: readonly ReceivedEvent[],
    claim: Claim,
    handlers: EventHandlers,
  ): Promise<number> {
    const byId = new Map(events.map((event) => [event.id, event]));
    const stopTimer = HANDLER_SECONDS.startTimer({ topic });
    let batch: EventBatch | undefined;
    let published = false;
    const handled = await this.dataSource
      .transaction(async (manager) => {
        const fresh = await claim(manager, [...byId.keys()]);
        if (fresh.size === 0) return 0;
        batch = new EventBatch(topic, manager);
        const wanted = [...byId.values()].filter(({ id }) => fresh.has(id));
        await handlers.handle(topic, wanted, batch);
        published = this.outbox.takeAdded(manager);
        return wanted.length;
      })
      .finally(stopTimer);
    if (published) this.outbox.wake();
    if (batch) await this.runCallbacks(batch);
    return handled;
  }

  private async runCallbacks(batch: EventBatch): Promise<void> {
    for (const callback of batch.takeCallbacks()) {
      try {
        await callback();
      } catch (error) {
        // The events are handled and committed: they must not be tried again because a hint failed.
        this.logger.error(`afterCommit of ${batch.topic} failed: ${describeError(error)}`);
      }
    }
  }

  /** Tries work on some events of a topic: `attempts` times, but as often as it takes when the database is away. */
  private try<T>(
    topic: string,
    deliveries: readonly Delivery[],
    attempts: number,
    signal: AbortSignal,
    work: () => Promise<T>,
    failedTries = 0,
  ): Promise<T> {
    const [first] = deliveries;
    const what = deliveries.length === 1 ? `${topic} ${first?.event.id}` : `${deliveries.length} events of ${topic}`;
    return withAttempts(work, {
      tuning: this.options.tuning,
      attempts,
      failedTries,
      signal,
      onFailure: (error, kind, attempt) => this.noteFailure(topic, what, error, kind, attempt),
    });
  }

  private definitionOf(topic: string): EventDefinition<object> {
    const definition = this.definitions.get(topic);
    if (!definition) throw new Error(`${topic} is no topic of the topology`);
    return definition;
  }

  private async writeDeadLetter(
    message: IncomingMessage,
    error: AttemptsExhaustedError,
    signal: AbortSignal,
  ): Promise<void> {
    const failure = {
      consumer: this.options.group,
      eventId: identify(message),
      reason: describeError(error.cause),
      attempts: error.attempts,
    };
    await this.deadLetters.write(message, failure, signal);
    this.logger.error(`${message.topic} ${failure.eventId} is a dead letter: ${failure.reason}`);
    EVENTS_CONSUMED.inc({ topic: message.topic, outcome: 'dead_lettered' });
  }

  private noteFailure(topic: string, what: string, error: unknown, kind: FailureKind, attempt: number): void {
    HANDLER_FAILURES.inc({ topic, kind });
    this.logger.warn(`${what}, try ${attempt} (${kind}): ${describeError(error)}`);
  }
}

/** The event's id; for a message without a usable one, an id that is the same whenever it is delivered. */
function identify({ topic, partition, offset, headers, value }: IncomingMessage): string {
  const id = headers['ce_id'];
  if (id !== undefined && isUuid(id)) return id.toLowerCase();
  return derivedEventId(topic, String(partition), offset, value ?? '');
}
