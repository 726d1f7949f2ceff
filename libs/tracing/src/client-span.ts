import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { runInSpan, startSpan, traceparentOf } from './trace-context';

/** A request to another server. */
export interface OutgoingRequest {
  readonly method: string;
  /**
   * What is requested, without ids, for example the name of the service. The method and the target form the span's
   * name.
   */
  readonly target: string;
  /** The URL of the request, of which only host and port are recorded. */
  readonly url: URL;
  /** The name of the service that is called. */
  readonly peer?: string;
}

/**
 * Sends a request. If spans are recorded, records its span, which ends when `send` resolves or rejects.
 *
 * @param send sends the request. It receives the span's `traceparent`. Send this header only to apps of the platform
 * @throws the error of `send`; the span then records the error's `code` if it is a string, otherwise the error's `name`
 */
export async function inClientSpan<A extends { readonly status: number }>(
  request: OutgoingRequest,
  send: (traceparent: string) => Promise<A>,
): Promise<A> {
  const span = startSpan(`${request.method} ${request.target}`, { kind: SpanKind.CLIENT });
  if (!span.isRecording()) return send(traceparentOf(span));
  describeRequest(span, request);
  try {
    const answer = await runInSpan(span, () => send(traceparentOf(span)));
    markAnswer(span, answer.status);
    return answer;
  } catch (error) {
    const { code, name } = error as Error & { code?: unknown };
    markFailure(span, typeof code === 'string' ? code : name);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Records the method, the server's host and port, and the peer, under the names of OpenTelemetry's semantic conventions.
 * The path and the query are not recorded, because they can contain ids, keys and tokens.
 */
export function describeRequest(span: Span, { method, url, peer }: Omit<OutgoingRequest, 'target'>): void {
  span.setAttributes({
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    'peer.service': peer,
  });
}

/** Records an answer's status. By OpenTelemetry's conventions, a status of 400 or above is an error in a client's span. */
export function markAnswer(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= 400) markFailure(span, String(status));
}

/** Records that the request failed. @param type the kind of the failure: a status, or the code or name of an error */
export function markFailure(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
