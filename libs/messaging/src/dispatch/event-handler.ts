import type { EventDefinition } from '@tandem/contracts';
import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

/** Options of an event handler. */
export interface EventHandlerOptions {
  /**
   * For a handler that most events of its topic do not concern: looks at the raw value, before anything is parsed. Events for
   * which it is false are skipped at no further cost. It must depend on the value alone.
   */
  readonly mayConcern?: (value: Buffer) => boolean;
  /**
   * For a handler that does all it does by one statement, which also claims the events: see `EventBatch.claimedBy`. It has no
   * transaction around it, which saves three round trips for an event that comes alone. Replays have one.
   */
  readonly oneStatement?: boolean;
  /**
   * For a handler whose events may wait for up to a second: on the Postgres bus they do not wake the process one by one, and are
   * read together.
   */
  readonly unhurried?: boolean;
}

/** The extras of a handler's pattern, for the event server. */
export interface EventHandlerExtras extends EventHandlerOptions {
  readonly isEventHandler: true;
}

/**
 * Passes a handler's error on as it is. Nest's own last filter would log it raw, with the parameters of a failed query, and turn
 * it into "Internal server error": the dispatcher could not tell an outage from a poison event.
 */
@Catch()
export class EventErrorsFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Handles the events of a topic, a batch at a time, in one transaction with the inbox:
 *
 *     @EventHandler(SALE_COMPLETED)
 *     async handle(@Payload() events: ReceivedEvent<SaleCompleted>[], @Ctx() batch: EventBatch): Promise<void>
 *
 * The events are new to this app, in order for each key, and of any number of keys. When the handler throws, nothing was done, and
 * smaller batches follow until the event that fails is alone; that one is tried again, and then becomes a dead letter.
 */
export const EventHandler = <T extends object>(
  event: EventDefinition<T>,
  options: EventHandlerOptions = {},
): MethodDecorator =>
  applyDecorators(
    EventPattern(event.topic, { ...options, isEventHandler: true } satisfies EventHandlerExtras),
    UseFilters(EventErrorsFilter),
  );
