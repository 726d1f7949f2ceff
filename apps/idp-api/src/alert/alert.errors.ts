/** The user has no alert with the id in the path or, if the path names a bureau, no alert of this bureau with the id. */
export class AlertNotFoundError extends Error {
  readonly code = 'alert_not_found';

  constructor() {
    super('alert not found');
  }
}
