export class PostbackNotConfiguredError extends Error {
  readonly code = 'postback_not_configured';

  constructor() {
    super('No postback is configured');
  }
}

/** Nothing is sent until the configuration is saved again. */
export class PostbackDisabledError extends Error {
  readonly code = 'postback_disabled';

  constructor() {
    super('The postback configuration is disabled: save it again, then replay');
  }
}

/** Unknown, too old, or another partner's: they look the same. */
export class DeliveryNotFoundError extends Error {
  readonly code = 'not_found';

  constructor() {
    super('There is no such delivery');
  }
}
