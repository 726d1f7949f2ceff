import { ErrorOf } from '@tandem/http-api';

export class TokenNotFoundError extends ErrorOf('not_found', 'There is no such token') {}

/** The token is expired or revoked. Only a valid token can be rotated or replaced. */
export class TokenNotActiveError extends ErrorOf(
  'token_not_active',
  'The token is expired or revoked: issue a new one instead',
) {}

/** The token was already rotated or replaced. A token has at most one successor. */
export class TokenAlreadyRotatedError extends ErrorOf(
  'token_already_rotated',
  'The token was already rotated: rotate its successor, or issue a new one',
) {}

/**
 * The token belongs to a portal session. It cannot be rotated or replaced, because the portal link determines who may use the session, and
 * for how long.
 */
export class PortalSessionTokenError extends ErrorOf(
  'portal_session',
  'The token belongs to a portal session: end the session, and create a new portal link',
) {}
