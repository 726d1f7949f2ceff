/** The user has a profile already. */
export class UserAlreadyExistsError extends Error {
  readonly code = 'user_already_exists';

  constructor() {
    super('the user has a profile already');
  }
}

/** The user has no profile. */
export class UserNotFoundError extends Error {
  readonly code = 'user_not_found';

  constructor() {
    super('the user has no profile');
  }
}
