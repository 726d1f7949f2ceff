/** The request spent all its time waiting for other requests of the same user. */
export class UserBusyError extends Error {
  readonly code = 'user_busy';

  constructor() {
    super('other requests of the user are still under way');
  }
}
