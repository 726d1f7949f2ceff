/**
 * The request's time limit passed while the request waited for the user's lock, or the request lost the lock and another holder claimed or
 * deleted the user.
 */
export class UserBusyError extends Error {
  readonly code = 'user_busy';

  constructor() {
    super('other requests of the user are still under way');
  }
}
