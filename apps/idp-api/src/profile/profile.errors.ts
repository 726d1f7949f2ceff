import { isForeignKeyViolation } from '@tandem/database';

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

/**
 * Awaits a write of data that belongs to a profile.
 *
 * @throws UserNotFoundError when the profile has been deleted, so that the write violates a foreign key
 */
export async function ofProfile<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isForeignKeyViolation(error) ? new UserNotFoundError() : error;
  }
}
