import {
  ConnectionFailedError,
  RateLimitError,
  ServerError,
  TandemError,
  TimedOutError,
} from '../../../../sdks/typescript/errors.ts';
import { type Pace, REAL_PACE } from '../../../../sdks/typescript/pace.ts';
import type { Tandem } from '../tandem.ts';
import type { ListenPosition, PostbackRequestPage } from '../types.ts';
import { forward, type ForwardedAttempt, type ForwardOptions } from './forward.ts';

/** The pause after a page that has no successor yet. It allows 30 calls a minute, a quarter of a token's limit for reads. */
const POLL_MS = 2000;
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;

export interface ListenOptions extends ForwardOptions {
  readonly tandem: Tandem;
  /**
   * Postbacks that were created at this time or later are forwarded. Null: only postbacks that are created after the
   * start.
   */
  readonly since: Date | null;
}

/**
 * The events that a listener reports. For each outage of the platform, the listener reports `interrupted` once, and `resumed` when the outage ends.
 * If the outage began before the first page was read, `listening` is reported instead of `resumed`.
 */
export type ListenerEvent =
  | { readonly type: 'listening' }
  | { readonly type: 'interrupted'; readonly error: TandemError }
  | { readonly type: 'resumed' }
  | ({ readonly type: 'attempt' } & ForwardedAttempt);

/**
 * Forwards postbacks one after another until the signal aborts. While the platform is unavailable, the listener repeats its call. From the
 * second page on, the call has a cursor, so that an outage causes neither lost nor repeated postbacks.
 *
 * @throws the reason of the signal, and the TandemError of a call that the platform refuses, for example with 401 or 403
 */
export async function listen(
  options: ListenOptions,
  report: (event: ListenerEvent) => void,
  pace: Pace = REAL_PACE,
): Promise<never> {
  const { since, signal } = options;
  let position: ListenPosition = since === null ? {} : { since };
  for (let begun = false; ; begun = true) {
    const page = await pageAfter(position, options, report, pace);
    if (!begun) report({ type: 'listening' });
    for (const request of page.items)
      await forward(request, options, pace, (attempt) => report({ type: 'attempt', ...attempt }));
    position = { cursor: page.nextCursor };
    if (!page.hasMore) await pace.sleep(POLL_MS, signal);
  }
}

/**
 * Reads a page. Retries without limit after 429, 5xx, a timeout or a failed connection, and reports `resumed` when a call succeeds after
 * a failure. Does not report `resumed` for the first page, because postbacks may have been missed: without `since`, postbacks that were
 * created during the failure are not forwarded.
 */
async function pageAfter(
  position: ListenPosition,
  { tandem, signal }: ListenOptions,
  report: (event: ListenerEvent) => void,
  pace: Pace,
): Promise<PostbackRequestPage> {
  for (let failures = 0; ; failures++) {
    try {
      // The client's own retries would end after some time, and would not be reported.
      const page = await tandem.postback.listen(position, { signal, maxRetries: 0 });
      if (failures > 0 && 'cursor' in position) report({ type: 'resumed' });
      return page;
    } catch (error) {
      if (!passes(error)) throw error;
      if (failures === 0) report({ type: 'interrupted', error });
      const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
      await pace.sleep((error.retryAfterSeconds ?? 0) * 1000 + (backoff / 2) * (1 + pace.random()), signal);
    }
  }
}

const PASSING = [ConnectionFailedError, RateLimitError, ServerError, TimedOutError];

const passes = (error: unknown): error is TandemError => PASSING.some((type) => error instanceof type);
