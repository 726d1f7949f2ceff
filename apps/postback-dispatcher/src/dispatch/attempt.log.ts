import { Logger } from '@nestjs/common';
import { countAttempt, type EndpointClass } from './dispatch.metrics';
import type { AttemptResult, EndpointChange } from './dispatch.types';

/** Tells of attempts: one line for each, and the metrics. A line carries the event and the trace of its own sale. */
export class AttemptLog {
  private readonly logger = new Logger('delivery');

  /** @param successSample share of the successful attempts that get a line, 0–1; the others always do */
  constructor(private readonly successSample: number) {}

  /** @param endpoint how it stood before this attempt */
  attempted(
    endpoint: EndpointClass,
    { delivery, outcome, verdict }: AttemptResult,
    change: EndpointChange | null,
  ): void {
    countAttempt(endpoint, outcome.stage, outcome.latencyMs);
    const isDelivered = verdict.status === 'delivered';
    if (isDelivered && this.successSample < 1 && Math.random() >= this.successSample) return;
    const line = {
      msg: 'delivery.attempted',
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      traceparent: delivery.traceparent ?? undefined,
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
