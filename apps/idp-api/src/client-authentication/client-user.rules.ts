import type { TokenFamily, VerifiedToken } from '@tandem/auth';

/** Who makes a request. */
export interface ClientUser {
  readonly krn: string;
  readonly family: TokenFamily;
  /** Whether the token was given for a second factor that is fresh enough. */
  readonly secondFactor: boolean;
}

const SECOND_FACTOR_SECONDS = 3_600;
const CLOCK_SKEW_SECONDS = 60;

/** The user of a token whose subject is a user's KRN. */
export function clientUserOf({ family, subject, claims }: VerifiedToken, now: Date): ClientUser {
  return { krn: subject, family, secondFactor: hasSecondFactor(claims, now.getTime() / 1000) };
}

/** `mfa` in `amr` or as `acr`, with an `auth_time` (RFC 9470) of at most an hour ago. */
function hasSecondFactor({ amr, acr, auth_time: at }: VerifiedToken['claims'], nowSeconds: number): boolean {
  const isMultiFactor = (Array.isArray(amr) && amr.includes('mfa')) || acr === 'mfa';
  if (!isMultiFactor || typeof at !== 'number' || !Number.isFinite(at)) return false;
  return at >= nowSeconds - SECOND_FACTOR_SECONDS && at <= nowSeconds + CLOCK_SKEW_SECONDS;
}
