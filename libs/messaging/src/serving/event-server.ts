import { Inject, Injectable } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, type ReadPacket, Server } from '@nestjs/microservices';
import { EVENT_BUS, type EventBus } from '@tandem/event-bus';
import { isObservable, lastValueFrom } from 'rxjs';
import { DeadLetterReplayer } from './dead-letter-replayer';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { HandlerRegistrationError, PermanentEventError } from '../failure/dispatch.errors';
import { Dispatcher } from '../dispatch/dispatcher';
import type { EventBatch } from '../dispatch/event-batch';
import type { EventHandlerExtras, EventHandlerOptions } from '../dispatch/event-handler';
import type { EventHandlers } from '../dispatch/event-transactions';
import type { ReceivedEvent } from '../wire/cloud-event';

const TRANSPORT = Symbol('events');

/**
 * The Nest transport of the app's `@EventHandler` methods. It passes every message to the dispatcher. Nest's own Kafka
 * server is not used, because it guesses whether a value is JSON, acknowledges messages that it cannot handle, and does
 * not await the result of a filter.
 *
 *     app.connectMicroservice({ strategy: app.get(EventServer) });
 *     await app.startAllMicroservices();
 */
@Injectable()
export class EventServer extends Server implements CustomTransportStrategy {
  override readonly transportId = TRANSPORT;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly replayer: DeadLetterReplayer,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    super();
  }

  /**
   * Registers a handler.
   *
   * @throws HandlerRegistrationError if the handler was not declared by `@EventHandler`, if its topic already has a
   *   handler, or if the topic is not in the topology; the app's start then fails
   */
  override addHandler(pattern: unknown, callback: MessageHandler, isEventHandler = false, extras = {}): void {
    const topic = this.normalizePattern(pattern as string);
    if (!isEventHandler || (extras as Partial<EventHandlerExtras>).isEventHandler !== true)
      throw new HandlerRegistrationError(`${topic}: event handlers must be declared by @EventHandler`);
    if (this.messageHandlers.has(topic))
      throw new HandlerRegistrationError(`${topic} has two handlers: a topic can have only one`);
    if (!this.options.topology.some(({ event }) => event.topic === topic))
      throw new HandlerRegistrationError(`${topic} is not in the topology of @tandem/contracts`);
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  /** Starts consuming, and returns immediately, so that the app serves requests even while the bus is unavailable. */
  listen(callback: () => void): void {
    const topics = [...this.messageHandlers.keys()];
    const unhurried = new Set(topics.filter((topic) => this.extrasOf(topic).unhurried));
    if (topics.length > 0)
      this.bus.consumer.start(
        topics,
        (messages, signal) => this.dispatcher.dispatch(messages, this.handlers, signal),
        unhurried,
      );
    this.replayer.start(this.handlers); // even without handlers: requested replays must then fail with a reason
    callback();
  }

  /** Does nothing: consuming stops earlier, in `beforeApplicationShutdown` (EventsLifecycle). */
  close(): void {
    return undefined;
  }

  /**
   * Replaces Nest's version, which does not await the stream that a handler returns, and therefore loses the stream's
   * errors.
   */
  override async handleEvent(pattern: string, packet: ReadPacket, context: EventBatch): Promise<void> {
    const handler = this.getHandlerByPattern(pattern);
    // Only a replayed event can lack a handler, because the bus delivers only topics with a handler.
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
    throw new Error('the event transport has no events to listen to');
  }

  override unwrap<T>(): T {
    return this.bus as T;
  }

  private extrasOf(topic: string): EventHandlerOptions {
    return (this.messageHandlers.get(topic)?.extras ?? {}) as EventHandlerExtras;
  }

  private readonly handlers: EventHandlers = {
    mayConcern: (topic, value) => this.extrasOf(topic).mayConcern?.(value) ?? true,
    isOneStatement: (topic) => this.extrasOf(topic).oneStatement === true,
    handle: (topic, events: readonly ReceivedEvent[], batch) =>
      this.handleEvent(topic, { pattern: topic, data: events }, batch),
  };
}
