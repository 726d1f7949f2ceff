import type { AttemptOutcome, Postback } from '../attempt/attempt.types';

/** A pending delivery as a worker needs it. */
export interface DueDelivery extends Postback {
  /** Unix ms: tells the partition. */
  readonly createdAt: number;
  readonly partnerId: string;
  readonly oid: string;
  /** The event that it came from, for logs. */
  readonly eventId: string;
  /** The trace of that event, which what comes of the delivery belongs to; null for one that began none. */
  readonly traceparent: string | null;
  /** Attempts made so far. */
  readonly attemptCount: number;
  /** How many of them were made before the last replay, with which the retries began anew. */
  readonly attemptsBeforeReplay: number;
}

/** How a delivery stands after an attempt. */
export type Verdict =
  | { readonly status: 'delivered' }
  | { readonly status: 'pending'; readonly nextInMs: number }
  | { readonly status: 'failed'; readonly reason: 'attempts_exhausted' | 'endpoint_gone' };

/** One attempt with what follows from it, to be stored. */
export interface AttemptResult {
  readonly delivery: DueDelivery;
  readonly outcome: AttemptOutcome;
  readonly verdict: Verdict;
}

/** A change of the endpoint that an attempt brought about, stored together with its result. */
export interface EndpointChange {
  readonly endpointId: string;
  /** The epoch of the endpoint's shard: a change is dropped when somebody else has taken the shard since. */
  readonly shardEpoch: string;
  /** The configuration that was used: a change is dropped when there is a newer one. */
  readonly configVersion: number;
  readonly consecutiveExhausted: number;
  readonly disabledReason: string | null;
  readonly breakerLevel: number;
  /** Milliseconds from now, 0 for none. */
  readonly blockedForMs: number;
}
