import type { Environment } from '@tandem/contracts';

/** A pending delivery as a worker needs it. */
export interface DueDelivery {
  /** Also the `webhook-id`. */
  readonly id: string;
  /** Unix ms: tells the partition. */
  readonly createdAt: number;
  readonly partnerId: string;
  readonly environment: Environment;
  readonly oid: string;
  readonly body: string;
  /** The event that it came from, for logs. */
  readonly eventId: string;
  /** The trace of that event, which what comes of the delivery belongs to; null for one that began none. */
  readonly traceparent: string | null;
  /** Attempts made so far. */
  readonly attemptCount: number;
  /** How many of them were made before the last replay, with which the retries began anew. */
  readonly attemptsBeforeReplay: number;
}

/** Where an attempt ended, when it was no success. `status`: an answer came, and it was not 2xx. */
export const ATTEMPT_STAGES = [
  'dns',
  'ssrf_refused',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'body',
  'status',
] as const;
export type AttemptStage = (typeof ATTEMPT_STAGES)[number];

/** What came of one request. */
export interface AttemptOutcome {
  /** Unix ms. */
  readonly startedAt: number;
  readonly latencyMs: number;
  /** Null when no answer came. */
  readonly status: number | null;
  /** Null for a success. */
  readonly stage: AttemptStage | null;
  /** More about the stage, for example `ECONNREFUSED`; never the partner's key. */
  readonly detail: string | null;
  /** Whether time ran out: in connecting, waiting or reading. */
  readonly timedOut: boolean;
  /** The first 2 kB of the answer's body. */
  readonly response: string | null;
  /** The answer's `Retry-After`, as it came. */
  readonly retryAfter: string | null;
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
