import type { EventDefinition } from '@tandem/contracts';
import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

/** Options of an event handler. */
export interface EventHandlerOptions {
  /**
   * For a handler that needs few events of its topic: this function inspects the raw value before anything is parsed. When it
   * returns false, the event is skipped at no further cost. Its result must depend on the value alone.
   */
  readonly mayConcern?: (value: Buffer) => boolean;
  /**
   * For a handler that needs only one statement, which also claims the events: see `EventBatch.claimedBy`. It runs
   * without a transaction, which saves three round trips for a single event. Replays run in a transaction.
   */
  readonly oneStatement?: boolean;
  /**
   * Whether the handler's events may wait up to a second: on the Postgres bus they then do not wake the process one by one, and are
   * read together.
   */
  readonly unhurried?: boolean;
}

/** The extras of a handler's pattern, read by the event server. */
export interface EventHandlerExtras extends EventHandlerOptions {
  readonly isEventHandler: true;
}

/**
 * Rethrows a handler's error unchanged. Nest's own last filter would log it with the parameters of a failed query, and turn
 * it into "Internal server error", so that the dispatcher could not distinguish an outage from a poison event.
 */
@Catch()
export class EventErrorsFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Handles the events of a topic in batches, each in one transaction with the inbox:
 *
 * @EventHandler(SALE_COMPLETED) async handle(@Payload() events: ReceivedEvent<SaleCompleted>[], @Ctx() batch:
 *   EventBatch): Promise<void>
 *
 * The events are new to this app, in order per key, and of any number of keys. When the handler throws, its transaction
 * is rolled back, and smaller batches follow until the failing event is alone; that event is retried, and then becomes
 * a dead letter.
 */
export const EventHandler = <T extends object>(
  event: EventDefinition<T>,
  options: EventHandlerOptions = {},
): MethodDecorator =>
  applyDecorators(
    EventPattern(event.topic, { ...options, isEventHandler: true } satisfies EventHandlerExtras),
    UseFilters(EventErrorsFilter),
  );
