import { Inject, Injectable, Logger } from '@nestjs/common';
import { bareParts, type IncomingMessage, storableParts, type StorableParts } from '@tandem/event-bus';
import { traceIdOf } from '@tandem/tracing';
import { AttemptsExhaustedError, withAttempts } from '../failure/attempts';
import { describeError, errorFields } from '../failure/dispatch.errors';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { EVENTS_CONSUMED, PARTITION_STOPS } from '../metrics';
import { Outbox } from '../outbox/outbox';
import { derivedEventId, isUuid } from '../wire/uuid';
import { type Failure, insertDeadLetter } from './dead-letter.repository';

/**
 * Stores dead letters. Waits without limit while the database is unavailable. If the database rejects the row
 * `handlerAttempts` times, the row is written with key and headers in base64 only, because their content may be the
 * cause. If the database rejects that row as well, both writes are repeated, and the partition stops until one of them
 * succeeds.
 */
@Injectable()
export class DeadLetterWriter {
  private readonly logger = new Logger(DeadLetterWriter.name);

  constructor(
    private readonly outbox: Outbox,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /**
   * Stores the message as a dead letter, with the error's cause as its reason. An event that has a dead letter already,
   * or that another process has handled meanwhile, is counted as a duplicate.
   *
   * @throws DeliveryAbortedError when the signal is aborted first
   */
  async write(
    message: IncomingMessage,
    { cause, attempts }: AttemptsExhaustedError,
    signal: AbortSignal,
  ): Promise<void> {
    const eventId = identify(message);
    const stored = await this.store(
      message,
      { consumer: this.options.group, eventId, reason: describeError(cause), attempts },
      signal,
    );
    const { topic, key: eventKey, headers } = message;
    const traceId = traceIdOf(headers['traceparent']);
    const fields = { eventId, eventKey, topic, traceId, ...errorFields(cause) };
    if (stored) this.logger.error({ msg: 'dead letter stored', ...fields });
    else this.logger.log({ msg: 'dead letter not needed', ...fields });
    EVENTS_CONSUMED.inc({ topic, outcome: stored ? 'dead_lettered' : 'duplicate' });
  }

  /** @returns whether the message was stored; false if no dead letter is needed */
  private async store(message: IncomingMessage, failure: Failure, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      let result = await this.tryStore(message, failure, storableParts(message), signal);
      if ('stored' in result) return result.stored;
      const reason = `stored in base64 alone, because of ${result.refusal}`;
      result = await this.tryStore(message, { ...failure, reason }, bareParts(message), signal);
      if ('stored' in result) return result.stored;
      // Postgres rejected even the row in base64, so the cause is not the message, but for example a missing right or
      // table. If the consumer continued with the next message, this message would be lost.
      const { topic, partition, offset } = message;
      PARTITION_STOPS.inc({ topic });
      this.logger.fatal(
        `${topic}/${partition} stops at ${offset}: the message can neither be handled nor stored as a dead letter: ${result.refusal}`,
      );
    }
  }

  /**
   * Tries to store the row.
   *
   * @returns `stored`, which is false if no dead letter is needed; or, if the database rejected the row, `refusal`: a
   *   description of the database's error
   */
  private async tryStore(
    message: IncomingMessage,
    failure: Failure,
    parts: StorableParts,
    signal: AbortSignal,
  ): Promise<{ readonly stored: boolean } | { readonly refusal: string }> {
    try {
      const stored = await withAttempts(
        () => this.outbox.transaction((manager) => insertDeadLetter(manager, message, failure, parts)),
        {
          tuning: this.options.tuning,
          attempts: this.options.tuning.handlerAttempts,
          signal,
          onFailure: (error) => this.logger.warn(`dead letter not stored yet: ${describeError(error)}`),
        },
      );
      if (stored) this.outbox.wake();
      return { stored };
    } catch (error) {
      if (!(error instanceof AttemptsExhaustedError)) throw error;
      return { refusal: describeError(error.cause) };
    }
  }
}

/** Returns the event's id or, for a message without a usable id, a derived id that is the same at each delivery. */
function identify({ topic, partition, offset, headers, value }: IncomingMessage): string {
  const id = headers['ce_id'];
  if (id !== undefined && isUuid(id)) return id.toLowerCase();
  return derivedEventId(topic, String(partition), offset, value ?? '');
}
