import type { Logger } from '@nestjs/common';
import { countAttempt } from './dispatch.metrics';
import type { AttemptResult, EndpointChange } from './dispatch.types';

/**
 * The one line about an attempt, and its metrics. Successes are logged at debug level only, because they are many; each is
 * in the delivery log and an event anyway.
 * @param verbose whether that level is on
 */
export function logAttempt(
  logger: Logger,
  { delivery, outcome, verdict }: AttemptResult,
  change: EndpointChange | null,
  verbose: boolean,
): void {
  countAttempt(outcome.stage, outcome.latencyMs);
  if (verdict.status === 'delivered' && !verbose) return;
  const line = {
    msg: 'delivery.attempted',
    deliveryId: delivery.id,
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
  if (verdict.status === 'delivered') logger.debug(line);
  else if (verdict.status === 'pending') logger.log({ ...line, nextInMs: Math.round(verdict.nextInMs) });
  else logger.warn({ ...line, reason: verdict.reason });
  if (change?.disabledReason != null) {
    logger.warn({ msg: 'endpoint.disabled', endpointId: change.lease.endpointId, reason: change.disabledReason });
  }
}
