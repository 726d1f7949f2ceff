import type { Environment } from '@tandem/contracts';

/** What is sent to an endpoint. */
export interface Postback {
  /** The `webhook-id`: the same over all attempts. */
  readonly id: string;
  readonly environment: Environment;
  readonly body: string;
}

/** The stage at which an attempt failed. `status`: an answer came, and it was not 2xx. */
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
