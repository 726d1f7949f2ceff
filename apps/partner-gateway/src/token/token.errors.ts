import { ErrorOf } from '@tandem/http-api';

export class TokenNotFoundError extends ErrorOf('not_found', 'There is no such token') {}

/** Only a valid token can be rotated. */
export class TokenNotActiveError extends ErrorOf(
  'token_not_active',
  'The token is expired or revoked: issue a new one instead',
) {}

/** A token has at most one successor, so it cannot be rotated twice. */
export class TokenAlreadyRotatedError extends ErrorOf(
  'token_already_rotated',
  'The token was rotated before: rotate its successor, or issue a new one',
) {}

/** The token of a portal session cannot be rotated: its link determines who may use the session, and for how long. */
export class PortalSessionTokenError extends ErrorOf(
  'portal_session',
  'The token is of a portal session: end it, and make a new portal link',
) {}
