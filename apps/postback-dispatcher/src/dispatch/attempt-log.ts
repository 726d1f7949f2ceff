import { Logger } from '@nestjs/common';
import { traceIdOf } from '@tandem/tracing';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import { recordAttempt } from './attempt-span';
import { countAttempt, type EndpointClass } from './dispatch.metrics';
import type { AttemptResult } from './dispatch-types';

/** The endpoint of an attempt. `class` is the endpoint's state just before the attempt's result changed it. */
export interface AttemptedEndpoint {
  readonly id: string;
  readonly url: string;
  readonly class: EndpointClass;
  /** Why the attempt disabled the endpoint; null if it did not. */
  readonly disabledReason: Endpoint['disabledReason'];
}

/**
 * Reports attempts by log lines, spans and metrics. The line `delivery.attempted` has the id of the sale's event `sale.completed` and, if
 * this event has a trace, the trace id. The span belongs to this trace, or to a new trace if the event has none.
 */
export class AttemptLog {
  private readonly logger = new Logger('delivery');

  /**
   * @param successSample share of successful attempts that are logged, 0–1; failed attempts are always logged
   * @param recordsSpans whether this process records spans
   */
  constructor(
    private readonly successSample: number,
    private readonly recordsSpans: boolean,
  ) {}

  attempted(result: AttemptResult, endpoint: AttemptedEndpoint): void {
    const { delivery, outcome, verdict } = result;
    countAttempt(endpoint.class, outcome.stage, outcome.latencyMs);
    if (this.recordsSpans) recordAttempt(result, endpoint.url);
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
      kind: delivery.kind,
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
    const { id: endpointId, disabledReason } = endpoint;
    if (disabledReason !== null) this.logger.warn({ msg: 'endpoint.disabled', endpointId, reason: disabledReason });
  }
}
