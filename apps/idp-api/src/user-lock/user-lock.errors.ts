/** Other requests of the same user took all of the time that this one had. */
export class UserBusyError extends Error {
  readonly code = 'user_busy';

  constructor() {
    super('other requests of the user are still under way');
  }
}
