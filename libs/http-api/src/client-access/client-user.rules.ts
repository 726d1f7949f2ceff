import type { TokenFamily, VerifiedToken } from '@tandem/auth';

/** Who makes a request. */
export interface ClientUser {
  readonly krn: string;
  readonly family: TokenFamily;
  /** Whether the token states that the user confirmed a second factor that is still valid. */
  readonly secondFactor: boolean;
}

const CLOCK_SKEW_SECONDS = 60;

/**
 * Returns the user of a token whose subject is a user's KRN.
 *
 * @param secondFactorSeconds how long a second factor is valid after the token's `auth_time`
 */
export function clientUserOf(
  { family, subject, claims }: VerifiedToken,
  now: Date,
  secondFactorSeconds: number,
): ClientUser {
  const nowSeconds = now.getTime() / 1000;
  return { krn: subject, family, secondFactor: hasSecondFactor(claims, nowSeconds, secondFactorSeconds) };
}

/** Whether a token has `mfa` in `amr` or as `acr`, and a recent `auth_time` (RFC 9470). */
function hasSecondFactor(
  { amr, acr, auth_time: at }: VerifiedToken['claims'],
  nowSeconds: number,
  maxAgeSeconds: number,
): boolean {
  const isMultiFactor = (Array.isArray(amr) && amr.includes('mfa')) || acr === 'mfa';
  if (!isMultiFactor || typeof at !== 'number' || !Number.isFinite(at)) return false;
  return at >= nowSeconds - maxAgeSeconds && at <= nowSeconds + CLOCK_SKEW_SECONDS;
}
