import { type Access, userAccess } from '@tandem/http-api';
import type { ClientLimit } from './client-limits.rules';

/** The names of the security schemes in the OpenAPI document. */
export const ACCESS_TOKEN = 'accessToken';
export const SECOND_FACTOR_TOKEN = 'accessTokenWithSecondFactor';

interface ClientRequirements {
  readonly secondFactor?: boolean;
  /** The rate limit that the operation counts towards; `default` if omitted. */
  readonly limit?: ClientLimit;
}

/** Admits a request with the access token of a user. @param secondFactor whether the token must have been issued after a second factor */
export const users = ({ secondFactor = false, limit = 'default' }: ClientRequirements = {}): Access =>
  userAccess({
    secondFactor,
    limit,
    limitedAlone: limit === 'onboarding',
    token: secondFactor ? SECOND_FACTOR_TOKEN : ACCESS_TOKEN,
    description: secondFactor ? '**Needs a token with a second factor.**' : 'Accepts any access token of the user.',
  });
