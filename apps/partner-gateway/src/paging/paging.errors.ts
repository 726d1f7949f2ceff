/** The cursor was not given out by us, or belongs to another list. */
export class InvalidCursorError extends Error {
  readonly code = 'invalid_cursor';

  constructor() {
    super('The cursor is not one that this list gave out');
  }
}
