/** Unknown, too old, or another partner's: they look the same. */
export class DeliveryNotFoundError extends Error {
  readonly code = 'not_found';

  constructor() {
    super('There is no such delivery');
  }
}
