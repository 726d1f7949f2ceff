/** No good credentials: missing, malformed, unknown, expired and revoked all look the same. */
export class UnauthorizedError extends Error {
  readonly code = 'unauthorized';

  constructor() {
    super('A valid bearer token is needed');
  }
}

export class PermissionDeniedError extends Error {
  readonly code = 'permission_denied';
}

export class TokenNotFoundError extends Error {
  readonly code = 'not_found';

  constructor() {
    super('There is no such token');
  }
}

/** Only a token that works can be rotated. */
export class TokenNotActiveError extends Error {
  readonly code = 'token_not_active';

  constructor() {
    super('The token is expired or revoked: issue a new one instead');
  }
}

/** A token has one successor: a second rotation would leave two. */
export class TokenAlreadyRotatedError extends Error {
  readonly code = 'token_already_rotated';

  constructor() {
    super('The token was rotated before: rotate its successor, or issue a new one');
  }
}
