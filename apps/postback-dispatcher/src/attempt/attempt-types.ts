import type { Environment } from '@tandem/contracts';
import type { DeliveryKind } from '@tandem/internal-api';

/** The content of a request to an endpoint. */
export interface Postback {
  /** The `webhook-id`, the same for all attempts. */
  readonly id: string;
  readonly environment: Environment;
  /** The kind of request: a postback or a notice of a closing. */
  readonly kind: DeliveryKind;
  readonly body: string;
}

/** The stage at which an attempt failed. `status`: the answer was not 2xx. */
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

/** The outcome of one request. */
export interface AttemptOutcome {
  /** Unix ms. */
  readonly startedAt: number;
  readonly latencyMs: number;
  /** Null without an answer. */
  readonly status: number | null;
  /** Null for a success. */
  readonly stage: AttemptStage | null;
  /** Detail of the stage, for example `ECONNREFUSED`; never the partner's key. */
  readonly detail: string | null;
  /** Whether the attempt timed out: connecting, waiting or reading. */
  readonly timedOut: boolean;
  /** The first 2 kB of the answer's body. */
  readonly response: string | null;
  /** The answer's `Retry-After`, unparsed. */
  readonly retryAfter: string | null;
}
