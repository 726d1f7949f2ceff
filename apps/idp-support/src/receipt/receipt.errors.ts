/** A subscription receipt token is not valid, or is another user's. Only the log says which. */
export class InvalidReceiptError extends Error {
  readonly code = 'invalid_receipt';

  /** @param index which of the list, from 0 */
  constructor(index: number, options?: ErrorOptions) {
    super(`srts[${index}]: is not a valid subscription receipt token of this user`, options);
  }
}
