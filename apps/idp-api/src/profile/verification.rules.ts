/** After this many refused verifications in a row, a user has no attempt left. */
export const MAX_ATTEMPTS = 3;

/** What is stored about a user's verifications, with or without a profile. */
export interface VerificationState {
  /** How many verifications in a row were refused. */
  readonly attempts: number;
  /** The time until which no attempt is allowed, which may have passed; null when there is none. */
  readonly waitUntil: Date | null;
  /** Whether the last verification confirmed the identity. */
  readonly authenticated: boolean;
  readonly lastAttemptAt: Date | null;
}

export const UNVERIFIED: VerificationState = {
  attempts: 0,
  waitUntil: null,
  authenticated: false,
  lastAttemptAt: null,
};

/** What prevents a user from being verified. */
export type Lock = { readonly kind: 'wait'; readonly retryAfterSeconds: number } | { readonly kind: 'maximum' };

/** Returns the lock that applies now; null when an attempt is allowed. */
export function lockOf({ attempts, waitUntil }: VerificationState, now: Date): Lock | null {
  if (attempts >= MAX_ATTEMPTS) return { kind: 'maximum' };
  if (waitUntil === null || waitUntil <= now) return null;
  return { kind: 'wait', retryAfterSeconds: Math.ceil((waitUntil.getTime() - now.getTime()) / 1000) };
}

/** Returns when the current wait ends. Returns null when there is no wait, or when no attempt is left. */
export const lockedUntil = (state: VerificationState, now: Date): Date | null =>
  lockOf(state, now)?.kind === 'wait' ? state.waitUntil : null;

/**
 * Returns the state after the vendor refused the identity.
 *
 * @param waitsSeconds the wait after the first refusal, and after the second
 */
export function refused(
  { attempts }: VerificationState,
  now: Date,
  waitsSeconds: readonly [number, number],
): VerificationState {
  const wait = waitsSeconds[attempts];
  return {
    attempts: Math.min(attempts + 1, MAX_ATTEMPTS),
    waitUntil: wait === undefined ? null : new Date(now.getTime() + wait * 1000),
    authenticated: false,
    lastAttemptAt: now,
  };
}

/** Returns the state after the vendor confirmed the identity: without refusals and without a wait. */
export const confirmed = (now: Date): VerificationState => ({
  attempts: 0,
  waitUntil: null,
  authenticated: true,
  lastAttemptAt: now,
});
