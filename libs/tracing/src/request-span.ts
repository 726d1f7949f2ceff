import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { remoteContext, startSpan, traceContext } from './trace-context';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The routes whose requests have no span. Probes and scrapes come every few seconds, so their spans would outnumber the
 * spans of callers' requests.
 */
const NOT_RECORDED = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Starts the span of a request in the trace of its header `traceparent`, or in a new trace if the header is missing or
 * invalid. The span ends with the answer, or earlier if the caller disconnects. It records the pattern of the route,
 * but never the path or query, which can contain ids of people. For probes and scrapes, the returned span is not
 * recorded.
 */
export function startRequestSpan(request: FastifyRequest, reply: FastifyReply): Span {
  const { method } = request;
  const { url: route } = request.routeOptions;
  const header = request.headers['traceparent'];
  const traceparent = typeof header === 'string' ? header : undefined;
  if (route !== undefined && NOT_RECORDED.has(route)) return trace.getSpan(traceContext(traceparent)) as Span;
  const name = route === undefined ? method : `${method} ${route}`;
  const span = startSpan(name, { kind: SpanKind.SERVER }, remoteContext(traceparent));
  if (!span.isRecording()) return span;
  span.setAttributes({ 'http.request.method': method, 'http.route': route, 'url.scheme': request.protocol });
  reply.raw.once('close', () => end(span, reply));
  return span;
}

function end(span: Span, { raw: answer, statusCode }: FastifyReply): void {
  if (!answer.headersSent) span.setAttribute('error.type', 'caller_gone');
  else {
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) {
      span.setAttribute('error.type', String(statusCode));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}
