import { randomBytes } from 'node:crypto';
import {
  type Context,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

/*
 * OpenTelemetry's trace context is used even when no spans are recorded: a trace then passes through unchanged (docs/decisions/0021).
 */
context.setGlobalContextManager(new AsyncLocalStorageContextManager());

/**
 * Matches the header `traceparent` of W3C Trace Context: version, trace id, parent id, flags; later versions may append
 * fields.
 */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Returns the caller's span from a `traceparent`; undefined when the `traceparent` is absent or invalid: the standard
 * then requires a new trace.
 */
function parse(traceparent: string | undefined): SpanContext | undefined {
  if (traceparent === undefined) return undefined;
  const match = TRACEPARENT.exec(traceparent);
  if (!match || (match[1] === '00' && match[5] !== undefined)) return undefined;
  const [, , traceId, spanId, flags] = match as unknown as [string, string, string, string, string];
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const format = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** Whether a tracer provider is set. Without one, no span is recorded or exported. */
export function recordsSpans(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('') !== undefined;
}

/** Returns the context of the first span of a new, sampled trace. */
const newTrace = (): SpanContext => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  traceFlags: TraceFlags.SAMPLED,
});

/** Returns a context that holds only the caller's span, or no span when the `traceparent` is absent or invalid. */
export function remoteContext(traceparent: string | undefined): Context {
  const caller = parse(traceparent);
  return caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller);
}

/**
 * Returns a context that holds only the caller's span, or the first span of a new trace when the `traceparent` is
 * absent or invalid.
 */
export const traceContext = (traceparent: string | undefined): Context =>
  trace.setSpanContext(ROOT_CONTEXT, parse(traceparent) ?? newTrace());

/**
 * Starts a span. When no spans are recorded, the returned span has the ids of the parent, or the ids of a new
 * trace when there is no parent. So callers need not know whether spans are recorded.
 *
 * @param parent the context with the parent span. Default: the current context
 */
export function startSpan(name: string, options: SpanOptions, parent: Context = context.active()): Span {
  const span = trace.getTracer('tandem').startSpan(name, options, parent);
  return isSpanContextValid(span.spanContext()) ? span : trace.wrapSpanContext(newTrace());
}

/**
 * Runs `work` within `span`: the spans that `work` starts, and the events that it adds to the outbox, are children of
 * `span`.
 */
export const runInSpan = <T>(span: Span, work: () => T): T => context.with(trace.setSpan(context.active(), span), work);

/**
 * Runs `work` in the trace of a `traceparent`, or in a new trace when it is absent or invalid. The events that `work`
 * adds to the outbox carry the trace id.
 */
export const runWithTrace = <T>(traceparent: string | undefined, work: () => T): T =>
  context.with(traceContext(traceparent), work);

/** Returns the `traceparent` by which another process continues the trace of `span`. */
export const traceparentOf = (span: Span): string => format(span.spanContext());

/**
 * Returns the given `traceparent` when it is valid, otherwise the `traceparent` of the current span or, without a
 * current span, of a new trace.
 */
export function traceparentOr(traceparent: string | undefined): string {
  return format(parse(traceparent) ?? trace.getSpanContext(context.active()) ?? newTrace());
}

/** Returns the `traceparent` of the current request or event; undefined outside of a request or event. */
export function currentTraceparent(): string | undefined {
  const current = trace.getSpanContext(context.active());
  return current && format(current);
}

/** Returns the trace id of a `traceparent`; undefined when the `traceparent` is absent or invalid. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => parse(traceparent)?.traceId;

/** Returns the current trace id, 32 hexadecimal digits; undefined outside of a request or event. */
export const currentTraceId = (): string | undefined => trace.getSpanContext(context.active())?.traceId;
