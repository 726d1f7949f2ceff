/** Other requests of the same user used up the time of this one. */
export class UserBusyError extends Error {
  readonly code = 'user_busy';

  constructor() {
    super('other requests of the user are still under way');
  }
}
