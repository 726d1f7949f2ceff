import type { EventDefinition } from '@tandem/contracts';
import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

/** Options of an event handler. */
export interface EventHandlerOptions {
  /**
   * Decides by an event's raw value, before anything is parsed, whether the handler may need the event. When it returns
   * false, the event is skipped at no further cost. Use it for a handler that needs few events of its topic. The result
   * must depend on the value alone.
   */
  readonly mayConcern?: (value: Buffer) => boolean;
  /**
   * Whether the handler runs a single statement, which also claims the events: see `EventBatch.claimedBy`. The handler
   * then runs without a transaction, which saves three round trips for a single event. Replays run in a transaction.
   */
  readonly oneStatement?: boolean;
  /**
   * Whether the handler's events may be delivered up to a second late. If so, new events on the Postgres bus do not wake
   * the process: it reads them together after its next heartbeat.
   */
  readonly unhurried?: boolean;
}

/** The options in the form in which Nest passes them to `EventServer`: as the extras of the handler's pattern. */
export interface EventHandlerExtras extends EventHandlerOptions {
  readonly isEventHandler: true;
}

/**
 * Rethrows a handler's error unchanged. Without this filter, Nest's default filter would log the error, and replace it
 * with "Internal server error". The dispatcher could then not distinguish an outage from an event that always fails.
 */
@Catch()
export class EventErrorsFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Handles the events of a topic in batches, each in one transaction with its inbox rows (or, with `oneStatement`, by one
 * statement):
 *
 *     @EventHandler(SALE_COMPLETED)
 *     async handle(@Payload() events: ReceivedEvent<SaleCompleted>[], @Ctx() batch: EventBatch): Promise<void>
 *
 * The events are in order per key; a batch can contain events of many keys. They are new to this app, unless the handler
 * claims them itself (`oneStatement`). When the handler throws, its transaction is rolled back. After a deadlock, or while
 * the database is unavailable, the batch is retried as a whole. After another error, the events are handled in smaller
 * batches until the failing event is alone. That event is retried, unless the error is a `PermanentEventError`. If all
 * its attempts fail, it becomes a dead letter.
 */
export const EventHandler = <T extends object>(
  event: EventDefinition<T>,
  options: EventHandlerOptions = {},
): MethodDecorator =>
  applyDecorators(
    EventPattern(event.topic, { ...options, isEventHandler: true } satisfies EventHandlerExtras),
    UseFilters(EventErrorsFilter),
  );
