import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type CustomTransportStrategy, type MessageHandler, type ReadPacket, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { EVENT_BUS, type EventBus } from '../bus/bus.port';
import { DeadLetterReplayer } from '../dead-letter/dead-letter-replayer';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options';
import { HandlerRegistrationError, PermanentEventError } from './dispatch.errors';
import { Dispatcher } from './dispatcher';
import type { EventContext } from './event-context';
import { passErrorsOfEventHandlers } from './event-errors.filter';

const TRANSPORT = Symbol('events');

/** What an `@EventPattern` says beside its topic. */
export interface EventPatternExtras {
  readonly wants?: (data: object) => boolean;
}

/**
 * For a handler that most events of its topic do not concern: the others cost no transaction. The predicate sees nothing but
 * the data, so that it says the same whenever it is asked.
 *
 *     @EventPattern(PAYMENT_RECEIVED.topic, wanting((payment: PaymentReceived) => redemptionOf(payment) !== null))
 */
export const wanting = <T extends object>(wants: (data: T) => boolean): EventPatternExtras => ({
  wants: wants as (data: object) => boolean,
});

/**
 * The Nest transport of the app's `@EventPattern` methods. Nest's own Kafka server guesses at JSON, acknowledges what it
 * cannot handle, and does not await what a filter returns; this one hands each message to the dispatcher.
 *
 *     app.connectMicroservice({ strategy: app.get(EventServer) });
 *     await app.startAllMicroservices();
 */
@Injectable()
export class EventServer extends Server implements CustomTransportStrategy {
  override readonly transportId = TRANSPORT;

  constructor(
    modules: ModulesContainer,
    private readonly dispatcher: Dispatcher,
    private readonly replayer: DeadLetterReplayer,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    super();
    passErrorsOfEventHandlers(modules);
  }

  /** @throws HandlerRegistrationError for what cannot be served exactly once: the start ends there */
  override addHandler(pattern: unknown, callback: MessageHandler, isEventHandler = false, extras = {}): void {
    const topic = this.normalizePattern(pattern as string);
    if (!isEventHandler) throw new HandlerRegistrationError(`${topic}: a bus carries events only, use @EventPattern`);
    if (this.messageHandlers.has(topic))
      throw new HandlerRegistrationError(`${topic} has two handlers: an event is handled in one transaction, by one`);
    if (!this.options.topology.some(({ event }) => event.topic === topic))
      throw new HandlerRegistrationError(`${topic} is no topic of the topology in @tandem/contracts`);
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  /** Returns at once: a bus that is away is waited for, and the app serves requests meanwhile. */
  listen(callback: () => void): void {
    const topics = [...this.messageHandlers.keys()];
    if (topics.length > 0)
      this.bus.consumer.start(topics, async (messages, signal) => {
        for (const message of messages) await this.dispatcher.dispatch(message, this.invoke, signal, this.wants);
      });
    this.replayer.start(this.invoke); // also where the handlers are gone: their dead letters get an answer
    callback();
  }

  /** Consuming is stopped earlier, in `beforeApplicationShutdown`: see EventsLifecycle. */
  close(): void {
    return undefined;
  }

  /** Nest's version does not await a stream, so that its errors are lost. */
  override async handleEvent(pattern: string, packet: ReadPacket, context: EventContext): Promise<void> {
    const handler = this.getHandlerByPattern(pattern);
    // Only a replay comes here without one: the bus is asked for the handlers' topics alone.
    if (!handler) throw new PermanentEventError(`this app has no handler of ${pattern}`);
    let failure: { error: unknown } | undefined;
    await this.onProcessingStartHook(TRANSPORT, context, async () => {
      try {
        const result: unknown = await handler(packet.data, context);
        if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
      } catch (error) {
        failure = { error };
      } finally {
        this.onProcessingEndHook?.(TRANSPORT, context);
      }
    });
    if (failure) throw failure.error;
  }

  override on(): never {
    throw new Error('the event transport emits no events of its own');
  }

  override unwrap<T>(): T {
    return this.bus as T;
  }

  private readonly wants = (topic: string, data: object): boolean => {
    const { wants } = (this.messageHandlers.get(topic)?.extras ?? {}) as EventPatternExtras;
    return wants?.(data) ?? true;
  };

  private readonly invoke = (topic: string, data: object, context: EventContext): Promise<void> =>
    this.handleEvent(topic, { pattern: topic, data }, context);
}
