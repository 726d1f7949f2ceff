import { Logger } from '@nestjs/common';
import { traceIdOf } from '@tandem/messaging';
import { recordAttempt } from './attempt.span';
import { countAttempt, type EndpointClass } from './dispatch.metrics';
import type { AttemptResult, EndpointChange } from './dispatch.types';

/** Tells of attempts: one line for each, its span, and the metrics. Each carries the event and the trace of its own sale. */
export class AttemptLog {
  private readonly logger = new Logger('delivery');

  /** @param successSample share of the successful attempts that get a line, 0–1; the others always do */
  constructor(private readonly successSample: number) {}

  /** @param endpoint where the attempt was sent, and how the endpoint stood before it */
  attempted(
    result: AttemptResult,
    change: EndpointChange | null,
    endpoint: { url: string; class: EndpointClass },
  ): void {
    const { delivery, outcome, verdict } = result;
    countAttempt(endpoint.class, outcome.stage, outcome.latencyMs);
    recordAttempt(result, endpoint.url);
    const isDelivered = verdict.status === 'delivered';
    if (isDelivered && this.successSample < 1 && Math.random() >= this.successSample) return;
    const line = {
      msg: 'delivery.attempted',
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      traceId: traceIdOf(delivery.traceparent ?? undefined),
      partnerId: delivery.partnerId,
      environment: delivery.environment,
      oid: delivery.oid,
      attempt: delivery.attemptCount + 1,
      outcome: verdict.status,
      stage: outcome.stage,
      detail: outcome.detail,
      status: outcome.status,
      latencyMs: outcome.latencyMs,
    };
    if (isDelivered) this.logger.log(line);
    else if (verdict.status === 'pending') this.logger.log({ ...line, nextInMs: Math.round(verdict.nextInMs) });
    else this.logger.warn({ ...line, reason: verdict.reason });
    if (change?.disabledReason != null) {
      this.logger.warn({ msg: 'endpoint.disabled', endpointId: change.endpointId, reason: change.disabledReason });
    }
  }
}
