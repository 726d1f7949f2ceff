import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { EventContext } from '@tandem/messaging';
import { Observable } from 'rxjs';
import { withLogFields } from './log-context';

/** Gives every log line of an event's handler the event's id, topic and key. */
export class EventLogInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { eventId, topic, key } = context.switchToRpc().getContext<EventContext>();
    return new Observable((subscriber) =>
      withLogFields({ eventId, topic, key }, () => next.handle().subscribe(subscriber)),
    );
  }
}
