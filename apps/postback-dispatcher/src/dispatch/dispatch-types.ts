import type { AttemptOutcome, Postback } from '../attempt/attempt-types';

/** A pending delivery, in the form that a worker needs. */
export interface DueDelivery extends Postback {
  /** When the delivery was created, Unix ms. This time determines the partition that contains the delivery's row. */
  readonly createdAt: number;
  readonly partnerId: string;
  readonly oid: string;
  /** The id of the event `sale.completed` of the delivery's sale, for logs. A closure notice has the event id of the sale's postback. */
  readonly eventId: string;
  /** The trace of the event `sale.completed`, to which the attempts belong too; null if the event has no trace. */
  readonly traceparent: string | null;
  /** Attempts made so far. */
  readonly attemptCount: number;
  /** Attempts made before the last replay that restarted the retries; 0 without such a replay. */
  readonly attemptsBeforeReplay: number;
}

/** The state of a delivery after an attempt. */
export type Verdict =
  | { readonly status: 'delivered' }
  | { readonly status: 'pending'; readonly nextInMs: number }
  | { readonly status: 'failed'; readonly reason: 'attempts_exhausted' | 'endpoint_gone' };

/** An attempt that ended, with its consequence for the delivery, to be stored. */
export interface AttemptResult {
  readonly delivery: DueDelivery;
  readonly outcome: AttemptOutcome;
  readonly verdict: Verdict;
}

/** The new state of an endpoint after an attempt that changed the state. The new state is stored together with the attempt's result. */
export interface EndpointChange {
  readonly endpointId: string;
  /** The epoch of the shard's ownership. The change is dropped if a replica has taken the shard again in the meantime. */
  readonly shardEpoch: string;
  /** The version of the configuration to which this state belongs. The change is dropped if a newer version is stored. */
  readonly configVersion: number;
  readonly consecutiveExhausted: number;
  readonly disabledReason: string | null;
  readonly breakerLevel: number;
  /** How long the endpoint's pause still lasts, in ms; 0 when the endpoint is not paused. */
  readonly blockedForMs: number;
}
