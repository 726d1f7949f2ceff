import { Batcher, OutageLog } from '@tandem/batching';
import type { EventDefinition } from '@tandem/contracts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type IncomingMessage } from '@tandem/event-bus';
import { DataSource } from 'typeorm';
import {
  markReplayFailed,
  type ReplayRequest,
  takeReplays,
  type TakenReplay,
} from '../dead-letter/dead-letter.repository';
import { DeadLetterWriter } from '../dead-letter/dead-letter-writer';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { claimEvents } from '../inbox/inbox.repository';
import { EVENTS_CONSUMED, HANDLER_FAILURES } from '../metrics';
import { decodeEvent, type ReceivedEvent } from '../wire/cloud-event';
import { traceIdOf } from '@tandem/tracing';
import { AttemptsExhaustedError, withAttempts } from '../failure/attempts';
import { describeError, errorFields } from '../failure/dispatch.errors';
import { type Claim, type EventHandlers, EventTransactions } from './event-transactions';

/** A message decoded as an event of its topic. */
interface Delivery {
  readonly message: IncomingMessage;
  readonly event: ReceivedEvent;
}

/** A piece of work on events of one topic, and how often it may be attempted. */
interface Work {
  readonly topic: string;
  /** The name of the work in the log. */
  readonly name: string;
  /** Set only for work that handles one delivered event alone: the id of this event. */
  readonly eventId?: string;
  readonly attempts: number;
  readonly signal: AbortSignal;
}

const NEVER = new AbortController().signal;

/**
 * Takes messages of either bus through decode → inbox → handler → commit. Messages of one topic that are ready at the
 * same time in several partitions can share one transaction. After a deadlock, or while the database is unavailable, the
 * transaction is retried as a whole. After another failure, the messages of each partition are handled separately, in
 * smaller and smaller batches until the failing event is alone. That event is retried with pauses, unless its error is
 * permanent. If all its attempts fail, it becomes a dead letter.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly outage = new OutageLog(this.logger, {
    failed: 'events paused: the database is down',
    recovered: 'events resumed: the database is up again',
  });
  private readonly definitions: Map<string, EventDefinition<object>>;
  /** The batchers, by topic and maximum number of events per transaction. */
  private readonly batchers = new Map<string, Batcher<readonly Delivery[], void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: EventTransactions,
    private readonly deadLetters: DeadLetterWriter,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    this.definitions = new Map(options.topology.map(({ event }) => [event.topic, event]));
  }

  /**
   * Handles a partition's ready messages. Resolves when every message is handled, skipped or stored as a dead letter.
   *
   * @throws DeliveryAbortedError when the signal is aborted first. When the messages are delivered again, the inbox skips
   *   those that were handled by then
   */
  async dispatch(messages: readonly IncomingMessage[], handlers: EventHandlers, signal: AbortSignal): Promise<void> {
    const topic = messages[0]?.topic;
    if (topic === undefined) return;
    const concerned = messages.filter(({ value }) => value === null || handlers.mayConcern(topic, value));
    EVENTS_CONSUMED.inc({ topic, outcome: 'skipped' }, messages.length - concerned.length);
    const deliveries: Delivery[] = [];
    for (const message of concerned) {
      const event = await this.decode(message, signal);
      if (event !== null) deliveries.push({ message, event });
    }
    if (deliveries.length === 0) return;
    const work = { topic, name: `${deliveries.length} events of ${topic}`, attempts: 1, signal };
    const { batchMax } = this.options.tuning;
    await this.try(work, () => this.handle(topic, deliveries, handlers, batchMax)).catch(
      onExhausted(() => this.handleAlone(topic, deliveries, handlers, signal)),
    );
  }

  /**
   * Replays dead letters of one topic: first all together and, if that fails, each separately. A dead letter that fails
   * again is kept. A dead letter whose event was handled in the meantime is only marked as replayed.
   */
  async replay(
    requests: readonly ReplayRequest[],
    handlers: EventHandlers,
    signal: AbortSignal = NEVER,
  ): Promise<void> {
    const [first] = requests;
    if (first === undefined) return;
    const { topic } = first.message;
    if (requests.length === 1) return this.replayAlone(first, handlers, signal);
    const work = { topic, name: `replay of ${requests.length} dead letters (${topic})`, attempts: 1, signal };
    await this.try(work, () => this.replayTogether(requests, handlers)).catch(
      onExhausted(async () => {
        for (const request of requests) await this.replayAlone(request, handlers, signal);
      }),
    );
  }

  private async replayAlone(request: ReplayRequest, handlers: EventHandlers, signal: AbortSignal): Promise<void> {
    const { id, eventId, message } = request;
    const { topic, key } = message;
    const name = `replay of dead letter ${id} (${topic})`;
    const work = { topic, name, attempts: this.options.tuning.handlerAttempts, signal };
    await this.try(work, () => this.replayTogether([request], handlers)).catch(
      onExhausted(async ({ cause, attempts }) => {
        const reason = describeError(cause);
        const traceId = traceIdOf(message.headers['traceparent']);
        this.logger.error({ msg: `${name} failed`, eventId, eventKey: key, topic, traceId, ...errorFields(cause) });
        await this.try(work, () => markReplayFailed(this.dataSource.manager, id, reason, attempts));
      }),
    );
  }

  private async replayTogether(requests: readonly ReplayRequest[], handlers: EventHandlers): Promise<void> {
    const { topic } = (requests[0] as ReplayRequest).message;
    // A message that is not a valid event of its topic makes the replay fail, like an error of the handler.
    const events = requests.map(({ message }) => decodeEvent(message, this.definitionOf(topic)));
    let taken: readonly TakenReplay[] = [];
    const claim: Claim = async (manager) => {
      taken = await takeReplays(
        manager,
        requests.map(({ id }) => id),
      );
      const eventIds = taken.map(({ eventId }) => eventId);
      return taken.length === 0 ? new Set() : claimEvents(manager, this.options.group, eventIds);
    };
    await this.transactions.handle(topic, events, claim, handlers);
    if (taken.length > 0) this.logger.log({ msg: 'dead letters replayed', topic, ids: taken.map(({ id }) => id) });
  }

  private async decode(message: IncomingMessage, signal: AbortSignal): Promise<ReceivedEvent | null> {
    try {
      return decodeEvent(message, this.definitionOf(message.topic));
    } catch (error) {
      await this.deadLetters.write(message, new AttemptsExhaustedError(1, error), signal);
      return null;
    }
  }

  /** Handles events of one partition only. Halves a batch that fails until each event is handled or fails alone. */
  private async handleAlone(
    topic: string,
    deliveries: readonly Delivery[],
    handlers: EventHandlers,
    signal: AbortSignal,
  ): Promise<void> {
    const [first] = deliveries;
    if (first === undefined) return;
    const handle = (): Promise<void> => this.handle(topic, deliveries, handlers, 0);
    if (deliveries.length === 1) {
      const { id: eventId } = first.event;
      const attempts = this.options.tuning.handlerAttempts;
      const work = { topic, name: `${topic} ${eventId}`, eventId, attempts, signal };
      return this.try(work, handle).catch(onExhausted((error) => this.deadLetters.write(first.message, error, signal)));
    }
    const work = { topic, name: `${deliveries.length} events of ${topic}`, attempts: 1, signal };
    const middle = Math.ceil(deliveries.length / 2);
    await this.try(work, handle).catch(
      onExhausted(async () => {
        await this.handleAlone(topic, deliveries.slice(0, middle), handlers, signal);
        await this.handleAlone(topic, deliveries.slice(middle), handlers, signal);
      }),
    );
  }

  /**
   * Handles events, together with other ready events of their topic. The number of concurrent transactions is limited
   * for each topic and each value of `maxSize`, so that events that fail cannot occupy all connections.
   *
   * @param deliveries handled in one transaction, even if they are more than `maxSize`
   * @param maxSize maximum events per transaction. With 0, the deliveries share their transaction with no other events
   */
  private handle(
    topic: string,
    deliveries: readonly Delivery[],
    handlers: EventHandlers,
    maxSize: number,
  ): Promise<void> {
    const name = `${topic}/${maxSize}`;
    const { concurrency } = this.options.tuning;
    const claim: Claim = (manager, ids) => claimEvents(manager, this.options.group, ids);
    const batcher =
      this.batchers.get(name) ??
      new Batcher<readonly Delivery[], void>(
        { concurrency, maxSize, sizeOf: ({ length }) => length },
        async (lists) => {
          const events = lists.flat().map(({ event }) => event);
          if (handlers.isOneStatement(topic)) await this.transactions.handleByStatement(topic, events, handlers);
          else await this.transactions.handle(topic, events, claim, handlers);
          return lists.map(() => undefined);
        },
      );
    this.batchers.set(name, batcher);
    return batcher.add(deliveries);
  }

  private try<T>({ topic, name, eventId, attempts, signal }: Work, work: () => Promise<T>): Promise<T> {
    return withAttempts(work, {
      tuning: this.options.tuning,
      attempts,
      signal,
      onFailure: (error, kind, attempt) => {
        HANDLER_FAILURES.inc({ topic, kind });
        // An outage makes many attempts of all topics fail, so it is logged once.
        if (kind === 'unavailable') this.outage.failed({ work: name, reason: describeError(error) });
        else
          this.logger.warn({
            msg: 'an attempt of a handler failed',
            work: name,
            eventId,
            topic,
            attempt,
            kind,
            reason: describeError(error),
          });
      },
    }).then((result) => {
      this.outage.succeeded();
      return result;
    });
  }

  private definitionOf(topic: string): EventDefinition<object> {
    const definition = this.definitions.get(topic);
    if (!definition) throw new Error(`${topic} is not in the topology`);
    return definition;
  }
}

/** Returns a callback for `catch` that calls `next` when no attempt is left, and rethrows any other error. */
const onExhausted =
  (next: (error: AttemptsExhaustedError) => Promise<void>) =>
  (error: unknown): Promise<void> => {
    if (!(error instanceof AttemptsExhaustedError)) throw error;
    return next(error);
  };
