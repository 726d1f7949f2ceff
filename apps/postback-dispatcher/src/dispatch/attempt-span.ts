import { SpanKind } from '@opentelemetry/api';
import { describeRequest, markAnswer, markFailure, remoteContext, startSpan } from '@tandem/tracing';
import type { AttemptResult } from './dispatch-types';

/**
 * Records the span of an attempt that has ended, in the trace of the delivery's sale or, if the sale has no trace, in a new one. Of the
 * URL, the span contains only the host and the port, because the other parts may contain a secret.
 *
 * @param url the endpoint's URL
 */
export function recordAttempt({ delivery, outcome, verdict }: AttemptResult, url: string): void {
  const { startedAt, latencyMs, status, stage } = outcome;
  const options = { kind: SpanKind.CLIENT, startTime: startedAt };
  const span = startSpan('POST postback', options, remoteContext(delivery.traceparent ?? undefined));
  if (!span.isRecording()) return;
  if (URL.canParse(url)) describeRequest(span, { method: 'POST', url: new URL(url) });
  span.setAttributes({
    'http.request.resend_count': delivery.attemptCount === 0 ? undefined : delivery.attemptCount,
    'tandem.delivery.id': delivery.id,
    'tandem.delivery.outcome': verdict.status,
  });
  if (status !== null) markAnswer(span, status);
  if (stage !== null) markFailure(span, stage === 'status' ? String(status) : stage);
  span.end(startedAt + latencyMs);
}
