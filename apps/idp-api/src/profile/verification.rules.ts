/** After this many refused verifications in a row, a user has no attempt left. */
export const MAX_ATTEMPTS = 3;

/** What is stored about a user's verifications, with or without a profile. */
export interface VerificationState {
  /** How many verifications in a row were refused. */
  readonly attempts: number;
  /** The end of the wait after a refusal, by the database's clock. The time may have passed. Null when there is no wait. */
  readonly waitUntil: Date | null;
  /** The time left until `waitUntil`, s, by the database's clock; zero or negative when it has passed, null when there is no wait. */
  readonly waitSeconds: number | null;
  /** Whether the last verification confirmed the identity. */
  readonly authenticated: boolean;
  readonly lastAttemptAt: Date | null;
}

/** The state after an attempt. The database computes `waitUntil` when the state is saved. */
export type AttemptState = Omit<VerificationState, 'waitUntil'>;

export const UNVERIFIED: VerificationState = {
  attempts: 0,
  waitUntil: null,
  waitSeconds: null,
  authenticated: false,
  lastAttemptAt: null,
};

/** What prevents a user from being verified. */
export type Lock = { readonly kind: 'wait'; readonly retryAfterSeconds: number } | { readonly kind: 'maximum' };

/** Returns the lock that follows from a state that was read or computed just now; null when an attempt is allowed. */
export function lockOf({ attempts, waitSeconds }: AttemptState): Lock | null {
  if (attempts >= MAX_ATTEMPTS) return { kind: 'maximum' };
  if (waitSeconds === null || waitSeconds <= 0) return null;
  return { kind: 'wait', retryAfterSeconds: Math.ceil(waitSeconds) };
}

/** Returns when the current wait ends. Returns null when there is no wait, or when no attempt is left. */
export const lockedUntil = (state: VerificationState): Date | null =>
  lockOf(state)?.kind === 'wait' ? state.waitUntil : null;

/**
 * Returns the state after the vendor refused the identity.
 *
 * @param waitsSeconds two waits, s: after the first refusal, and after the second refusal
 */
export function refused(
  { attempts }: VerificationState,
  now: Date,
  waitsSeconds: readonly [number, number],
): AttemptState {
  return {
    attempts: Math.min(attempts + 1, MAX_ATTEMPTS),
    waitSeconds: waitsSeconds[attempts] ?? null,
    authenticated: false,
    lastAttemptAt: now,
  };
}

/** Returns the state after the vendor confirmed the identity: without refusals and without a wait. */
export const confirmed = (now: Date): AttemptState => ({
  attempts: 0,
  waitSeconds: null,
  authenticated: true,
  lastAttemptAt: now,
});
