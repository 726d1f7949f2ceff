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
 * The trace context is OpenTelemetry's, even when no spans are recorded: then a trace passes through unchanged. See decision 21.
 */
context.setGlobalContextManager(new AsyncLocalStorageContextManager());

/** W3C Trace Context `traceparent`: version, trace id, parent id, flags; later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Returns the caller's span from a valid `traceparent`; undefined otherwise: the standard then requires a new trace. */
function parse(traceparent: string | undefined): SpanContext | undefined {
  if (traceparent === undefined) return undefined;
  const match = TRACEPARENT.exec(traceparent);
  if (!match || (match[1] === '00' && match[5] !== undefined)) return undefined;
  const [, , traceId, spanId, flags] = match as unknown as [string, string, string, string, string];
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const format = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** Whether spans are exported: without a provider they are not. */
export function recordsSpans(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('') !== undefined;
}

/** Returns the first span of a new, sampled trace. */
const newTrace = (): SpanContext => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  traceFlags: TraceFlags.SAMPLED,
});

/** A context that holds only the caller's span, or no span when the `traceparent` is absent or invalid. */
export function remoteContext(traceparent: string | undefined): Context {
  const caller = parse(traceparent);
  return caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller);
}

/** A context that holds only the caller's span, or the start of a new trace when the `traceparent` is absent or invalid. */
export const traceContext = (traceparent: string | undefined): Context =>
  trace.setSpanContext(ROOT_CONTEXT, parse(traceparent) ?? newTrace());

/**
 * Starts a span. While no spans are recorded, the result is the parent itself, or the start of a new trace when there is no parent,
 * so that callers need not distinguish.
 *
 * @param parent default: the current span
 */
export function startSpan(name: string, options: SpanOptions, parent: Context = context.active()): Span {
  const span = trace.getTracer('tandem').startSpan(name, options, parent);
  return isSpanContextValid(span.spanContext()) ? span : trace.wrapSpanContext(newTrace());
}

/** Runs `work` within `span`: spans started and events added by it are its children. */
export const runInSpan = <T>(span: Span, work: () => T): T => context.with(trace.setSpan(context.active(), span), work);

/** Runs `work` in the trace of a `traceparent`, or in a new one: events added by it carry the trace id. */
export const runWithTrace = <T>(traceparent: string | undefined, work: () => T): T =>
  context.with(traceContext(traceparent), work);

/** Returns the `traceparent` by which another process continues the trace of `span`. */
export const traceparentOf = (span: Span): string => format(span.spanContext());

/** Returns the given `traceparent` when it is valid; otherwise that of the current span, or of a new trace. */
export function traceparentOr(traceparent: string | undefined): string {
  return format(parse(traceparent) ?? trace.getSpanContext(context.active()) ?? newTrace());
}

/** Returns the `traceparent` of the request or event being handled; undefined outside of one. */
export function currentTraceparent(): string | undefined {
  const current = trace.getSpanContext(context.active());
  return current && format(current);
}

/** Returns the trace id of a `traceparent`; undefined when that is absent or invalid. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => parse(traceparent)?.traceId;

/** Returns the current trace id, 32 hexadecimal digits; undefined outside of a request or event. */
export const currentTraceId = (): string | undefined => trace.getSpanContext(context.active())?.traceId;
