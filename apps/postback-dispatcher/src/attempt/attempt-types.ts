import type { Environment } from '@tandem/contracts';
import type { DeliveryKind } from '@tandem/internal-api';

/** The content of a request to an endpoint. */
export interface Postback {
  /** The `webhook-id`, which is the same for all attempts of a delivery. */
  readonly id: string;
  readonly environment: Environment;
  /** `sale` for a postback, `closure` for a notice that the sale was refunded or charged back. */
  readonly kind: DeliveryKind;
  readonly body: string;
}

/** The stages at which an attempt can fail. `status` means that the status of the answer was not 2xx. */
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
  /** When the attempt started, Unix ms. */
  readonly startedAt: number;
  readonly latencyMs: number;
  /** The HTTP status of the answer; null if there was no answer. */
  readonly status: number | null;
  /** The stage at which the attempt failed; null for a success. */
  readonly stage: AttemptStage | null;
  /** What went wrong at this stage, for example `ECONNREFUSED`; null if nothing more is known. Never contains the partner's key. */
  readonly detail: string | null;
  /** Whether the attempt timed out while connecting, waiting or reading. */
  readonly timedOut: boolean;
  /** The first 2 KiB of the answer's body, in which the partner's key is redacted; null if no byte of a body arrived. */
  readonly response: string | null;
  /** The answer's `Retry-After` header, unparsed; null if there is none. */
  readonly retryAfter: string | null;
}
