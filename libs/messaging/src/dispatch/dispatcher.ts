import type { EventDefinition } from '@tandem/contracts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { lockReplay, markReplayed, markReplayFailed, type ReplayRequest } from '../dead-letter/dead-letter.repository';
import { DeadLetterWriter } from '../dead-letter/dead-letter-writer';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options';
import { claimEvent, claimReplay } from '../inbox/inbox.repository';
import { EVENTS_CONSUMED, HANDLER_FAILURES, HANDLER_SECONDS } from '../metrics';
import { Outbox } from '../outbox/outbox';
import { type DecodedEvent, decodeEvent } from '../wire/cloud-event';
import { runWithEvent } from '../wire/current-event';
import type { IncomingMessage } from '../wire/message';
import { runWithTrace } from '../wire/trace';
import { derivedEventId, isUuid } from '../wire/uuid';
import { AttemptsExhaustedError, type FailureKind, withAttempts } from './attempts';
import { describeError } from './dispatch.errors';
import { EventContext } from './event-context';

/** Calls the app's handler of a topic. */
export type HandlerInvocation = (topic: string, data: object, context: EventContext) => Promise<void>;

/** Whether the app's handler of a topic has anything to do with such data. */
export type HandlerInterest = (topic: string, data: object) => boolean;

type Outcome = 'handled' | 'duplicate' | 'busy' | 'unwanted';

const NEVER = new AbortController().signal;

/**
 * Takes one message through decode → inbox → handler → commit, whatever bus it came from. It resolves when the message is
 * done with: handled, skipped as a duplicate, or set aside as a dead letter. It rejects only when it is to be delivered again.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly definitions: Map<string, EventDefinition<object>>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly deadLetters: DeadLetterWriter,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    this.definitions = new Map(options.topology.map(({ event }) => [event.topic, event]));
  }

  /** @throws DeliveryAbortedError when the signal is aborted before the message is done with */
  async dispatch(
    message: IncomingMessage,
    invoke: HandlerInvocation,
    signal: AbortSignal,
    wants: HandlerInterest = () => true,
  ): Promise<void> {
    const { group } = this.options;
    const outcome = await this.attempt(
      message,
      (event, manager) => claimEvent(manager, group, event.id).then((claimed) => (claimed ? 'handled' : 'duplicate')),
      invoke,
      signal,
      wants,
    ).catch((error: unknown) => this.setAside(message, error, signal));
    EVENTS_CONSUMED.inc({ topic: message.topic, outcome });
  }

  /** Handles a dead letter again. Its failure leaves it dead; an event that was handled before is only marked. */
  async replay(request: ReplayRequest, invoke: HandlerInvocation, signal: AbortSignal = NEVER): Promise<void> {
    const { group } = this.options;
    const claim = async (event: DecodedEvent, manager: EntityManager): Promise<Outcome> => {
      if (!(await lockReplay(manager, request.id))) return 'busy';
      await markReplayed(manager, request.id);
      return (await claimReplay(manager, group, event.id)) ? 'handled' : 'duplicate';
    };
    try {
      const outcome = await this.attempt(request.message, claim, invoke, signal);
      this.logger.log(`replay of dead letter ${request.id} (${request.message.topic}): ${outcome}`);
      EVENTS_CONSUMED.inc({ topic: request.message.topic, outcome: 'replayed' });
    } catch (error) {
      if (!(error instanceof AttemptsExhaustedError)) throw error;
      const reason = describeError(error.cause);
      this.logger.error(`replay of dead letter ${request.id} (${request.message.topic}) failed: ${reason}`);
      await withAttempts(() => markReplayFailed(this.dataSource.manager, request.id, reason, error.attempts), {
        tuning: this.options.tuning,
        signal,
        onFailure: (failure) => this.logger.warn(`a failed replay cannot be noted yet: ${describeError(failure)}`),
      });
    }
  }

  private async attempt(
    message: IncomingMessage,
    claim: (event: DecodedEvent, manager: EntityManager) => Promise<Outcome>,
    invoke: HandlerInvocation,
    signal: AbortSignal,
    wants: HandlerInterest = () => true,
  ): Promise<Outcome> {
    let event: DecodedEvent | undefined;
    return withAttempts<Outcome>(
      async (attempt) => {
        const decoded = (event ??= this.decode(message));
        if (!wants(message.topic, decoded.data)) return 'unwanted';
        const current = { eventId: decoded.id, topic: message.topic, key: decoded.key };
        return runWithEvent(current, () =>
          runWithTrace(decoded.traceparent, () => this.handleOnce(message.topic, decoded, attempt, claim, invoke)),
        );
      },
      {
        tuning: this.options.tuning,
        signal,
        onFailure: (error, kind, attempt) => this.noteFailure(message, error, kind, attempt),
      },
    );
  }

  /** One try: the inbox row and the handler's effect in one transaction. */
  private async handleOnce(
    topic: string,
    event: DecodedEvent,
    attempt: number,
    claim: (event: DecodedEvent, manager: EntityManager) => Promise<Outcome>,
    invoke: HandlerInvocation,
  ): Promise<Outcome> {
    const stopTimer = HANDLER_SECONDS.startTimer({ topic });
    let context: EventContext | undefined;
    let published = false;
    const outcome = await this.dataSource
      .transaction(async (manager) => {
        const claimed = await claim(event, manager);
        if (claimed !== 'handled') return claimed;
        context = new EventContext(topic, manager, attempt, event);
        await invoke(topic, event.data, context);
        published = this.outbox.takeAdded(manager);
        return claimed;
      })
      .finally(stopTimer);
    if (published) this.outbox.wake();
    if (context) await this.runCallbacks(topic, context);
    return outcome;
  }

  private decode(message: IncomingMessage): DecodedEvent {
    const definition = this.definitions.get(message.topic);
    if (!definition) throw new Error(`${message.topic} is no topic of the topology`);
    return decodeEvent(message, definition);
  }

  private async runCallbacks(topic: string, context: EventContext): Promise<void> {
    for (const callback of context.takeCallbacks()) {
      try {
        await callback();
      } catch (error) {
        // The event is handled and committed: it must not be tried again for a hint's sake.
        this.logger.error(`afterCommit of ${topic} ${context.eventId} failed: ${describeError(error)}`);
      }
    }
  }

  private async setAside(message: IncomingMessage, error: unknown, signal: AbortSignal): Promise<'dead_lettered'> {
    if (!(error instanceof AttemptsExhaustedError)) throw error;
    const failure = {
      consumer: this.options.group,
      eventId: identify(message),
      reason: describeError(error.cause),
      attempts: error.attempts,
    };
    await this.deadLetters.write(message, failure, signal);
    this.logger.error(`${message.topic} ${failure.eventId} is a dead letter: ${failure.reason}`);
    return 'dead_lettered';
  }

  private noteFailure(
    { topic, headers, partition, offset }: IncomingMessage,
    error: unknown,
    kind: FailureKind,
    attempt: number,
  ): void {
    HANDLER_FAILURES.inc({ topic, kind });
    const name = `${topic} ${headers['ce_id'] ?? `${partition}/${offset}`}`;
    this.logger.warn(`${name}, try ${attempt} (${kind}): ${describeError(error)}`);
  }
}

/** The event's id; for a message without a usable one, an id that is the same whenever it is delivered. */
function identify({ topic, partition, offset, headers, value }: IncomingMessage): string {
  const id = headers['ce_id'];
  if (id !== undefined && isUuid(id)) return id.toLowerCase();
  return derivedEventId(topic, String(partition), offset, value ?? '');
}
