/**
 * The request did not get the user's lock in time, or lost it:
 * - The time limit passed while the request waited for the lock.
 * - The request lost the lock, and another holder claimed or deleted the user.
 */
export class UserBusyError extends Error {
  readonly code = 'user_busy';

  constructor() {
    super('other requests of the user are still under way');
  }
}
