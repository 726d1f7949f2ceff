import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { BusKind, OutgoingMessage } from '@tandem/event-bus';
import type { ReceivedEvent } from './cloud-event';
import { remoteContext, startSpan, traceparentOf } from '@tandem/tracing';

/** Values of the attribute `messaging.system`, from OpenTelemetry's semantic conventions. */
const SYSTEM = { kafka: 'kafka', postgres: 'postgresql' } as const;

/** Spans of events that are sent or handled together: one per event, in the event's own trace. */
export interface EventSpans<T> {
  /**
   * The events. If an event's span is recorded, the event's `traceparent` contains the id of this span, so that later
   * spans of the event become children of this span.
   */
  readonly events: readonly T[];
  /** Ends the spans. A span that never ends is not exported. */
  end(failure?: Failure): void;
}

/** Why events could not be handled: `reason` is the text that `describeError` returns. */
export interface Failure {
  readonly type: string;
  readonly reason: string;
}

/**
 * Starts spans `send <topic>`. Such a span lasts from the event's `ce_time`, when `Outbox` added the event, until the
 * bus has the event. A dead letter has the `ce_time` of its event. The message carries the span's id to the consumers.
 */
export function startSendSpans<T extends OutgoingMessage>(messages: readonly T[], bus: BusKind): EventSpans<T> {
  return startSpans(messages, (message) => {
    const { topic, headers } = message;
    const options = { kind: SpanKind.PRODUCER, startTime: addedAt(headers['ce_time']) };
    const span = startSpan(`send ${topic}`, options, remoteContext(headers['traceparent']));
    if (!span.isRecording()) return { span, event: message };
    describe(span, 'send', { bus, topic, id: headers['ce_id'] });
    return { span, event: { ...message, headers: { ...headers, traceparent: traceparentOf(span) } } };
  });
}

/**
 * Returns the time at which an event was added. If `time` is not readable, returns the current time: the event of a
 * dead letter may come from another program. A span with an invalid time would make the export of its whole batch fail.
 */
function addedAt(time = ''): Date {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}

/**
 * Starts spans `process <topic>`. Such a span covers one attempt to handle an event: the handler and the commit. Later
 * spans of the event are its children.
 */
export function startProcessSpans<T extends ReceivedEvent>(
  received: readonly T[],
  { bus, group }: { readonly bus: BusKind; readonly group: string },
): EventSpans<T> {
  return startSpans(received, (event) => {
    const { topic, id } = event;
    const span = startSpan(`process ${topic}`, { kind: SpanKind.CONSUMER }, remoteContext(event.traceparent));
    if (span.isRecording()) {
      describe(span, 'process', { bus, topic, id });
      span.setAttribute('messaging.consumer.group.name', group);
    }
    const traceparent = traceparentOf(span);
    return { span, event: traceparent === event.traceparent ? event : { ...event, traceparent } };
  });
}

function startSpans<T>(events: readonly T[], start: (event: T) => { span: Span; event: T }): EventSpans<T> {
  const started = events.map(start);
  return {
    events: started.map(({ event }) => event),
    end: (failure) => {
      for (const { span } of started) end(span, failure);
    },
  };
}

function end(span: Span, failure: Failure | undefined): void {
  if (failure) {
    span.setAttribute('error.type', failure.type);
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure.reason });
  }
  span.end();
}

function describe(span: Span, operation: 'send' | 'process', of: { bus: BusKind; topic: string; id?: string }): void {
  span.setAttributes({
    'messaging.system': SYSTEM[of.bus],
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': of.topic,
    'messaging.message.id': of.id,
  });
}
