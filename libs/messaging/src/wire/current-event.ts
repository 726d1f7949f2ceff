import { context, createContextKey } from '@opentelemetry/api';
import type { EventAttributes } from './cloud-event';
import { traceContext } from '@tandem/tracing';

/** The attributes of an event that log lines and traces carry. */
export type EventReference = Pick<EventAttributes, 'id' | 'topic' | 'key' | 'traceparent'>;

const EVENT = createContextKey('event');

/**
 * Runs work that concerns one event: the work's log lines carry the event's id, topic and key, and the events that the
 * work adds belong to the event's trace. Use it only for work that ends; start timers, queues and connections outside
 * of it.
 */
export const runInEvent = <T>(event: EventReference, work: () => T): T =>
  context.with(traceContext(event.traceparent).setValue(EVENT, event), work);

/** Returns the event of the {@link runInEvent} call in which the caller runs; undefined outside of such a call. */
export const currentEvent = (): EventReference | undefined =>
  context.active().getValue(EVENT) as EventReference | undefined;
