import type { AttemptOutcome, Postback } from '../attempt/attempt-types';

/** A pending delivery, in the form that a worker needs. */
export interface DueDelivery extends Postback {
  /** When the delivery was created, Unix ms. The time determines the partition of its row. */
  readonly createdAt: number;
  readonly partnerId: string;
  readonly oid: string;
  /** The event that caused the delivery, for logs. */
  readonly eventId: string;
  /** The trace of that event, to which the delivery's attempts belong; null if there is none. */
  readonly traceparent: string | null;
  /** Attempts made so far. */
  readonly attemptCount: number;
  /** Attempts made before the last replay, which restarted the retries. */
  readonly attemptsBeforeReplay: number;
}

/** The state of a delivery after an attempt. */
export type Verdict =
  | { readonly status: 'delivered' }
  | { readonly status: 'pending'; readonly nextInMs: number }
  | { readonly status: 'failed'; readonly reason: 'attempts_exhausted' | 'endpoint_gone' };

/** One attempt and its consequences, to be stored. */
export interface AttemptResult {
  readonly delivery: DueDelivery;
  readonly outcome: AttemptOutcome;
  readonly verdict: Verdict;
}

/** A change of the endpoint caused by an attempt, stored together with its result. */
export interface EndpointChange {
  readonly endpointId: string;
  /** The epoch of the endpoint's shard: the change is dropped when another process has taken the shard. */
  readonly shardEpoch: string;
  /** The version of the configuration that was used: the change is dropped when there is a newer one. */
  readonly configVersion: number;
  readonly consecutiveExhausted: number;
  readonly disabledReason: string | null;
  readonly breakerLevel: number;
  /** Milliseconds from now; 0: none. */
  readonly blockedForMs: number;
}
