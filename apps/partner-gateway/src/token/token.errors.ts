import { ErrorOf } from '@tandem/http-api';

export class TokenNotFoundError extends ErrorOf('not_found', 'There is no such token') {}

/** Only a valid token can be rotated. */
export class TokenNotActiveError extends ErrorOf(
  'token_not_active',
  'The token is expired or revoked: issue a new one instead',
) {}

/** A token has one successor: a second rotation would create another one. */
export class TokenAlreadyRotatedError extends ErrorOf(
  'token_already_rotated',
  'The token was rotated before: rotate its successor, or issue a new one',
) {}

/** A session's link determines who may use it and for how long. A successor would have no link. */
export class PortalSessionTokenError extends ErrorOf(
  'portal_session',
  'The token is of a portal session: end it, and make a new portal link',
) {}
