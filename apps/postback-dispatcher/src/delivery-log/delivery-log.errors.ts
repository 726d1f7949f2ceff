/** The cursor was not given out here, or for another list. */
export class InvalidCursorError extends Error {
  readonly code = 'invalid_cursor';
  override readonly name = 'InvalidCursorError';

  constructor() {
    super('The cursor is not one that this list gave out.');
  }
}

/** The caller has no such delivery in its log. */
export class DeliveryNotFoundError extends Error {
  // Not `not_found`, which is also said of a path that is not there.
  readonly code = 'delivery_not_found';
  override readonly name = 'DeliveryNotFoundError';

  constructor() {
    super('There is no such delivery.');
  }
}

/** Nothing is sent to the endpoint until its configuration is saved again. */
export class PostbackDisabledError extends Error {
  readonly code = 'postback_disabled';
  override readonly name = 'PostbackDisabledError';

  constructor() {
    super('The configuration is disabled; save it again, then replay.');
  }
}
