/** The user has no alert with this id. */
export class AlertNotFoundError extends Error {
  readonly code = 'alert_not_found';

  constructor() {
    super('alert not found');
  }
}
