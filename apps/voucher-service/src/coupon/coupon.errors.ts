/** The cursor was not given out here, or for another list. */
export class InvalidCursorError extends Error {
  readonly code = 'invalid_cursor';

  constructor() {
    super('The cursor is not one that this list gave out');
  }
}

/** One creation runs at a time for a partner token. */
export class CouponCreationRunningError extends Error {
  readonly code = 'creation_in_progress';

  constructor() {
    super('Another creation of this token is running');
  }
}

/** The request that came first with this key has not ended. */
export class IdempotentCreationRunningError extends Error {
  readonly code = 'idempotency_in_progress';

  constructor() {
    super('A request with this idempotency key is running');
  }
}

export class IdempotencyKeyReusedError extends Error {
  readonly code = 'idempotency_key_reused';

  constructor() {
    super('The idempotency key was used for another request');
  }
}
