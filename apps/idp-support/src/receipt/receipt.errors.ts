/** A subscription receipt token that is not good for this user. The reason is for the log. */
export class InvalidReceiptError extends Error {
  readonly code = 'invalid_receipt';

  /** @param index which of the list, from 0 */
  constructor(index: number, options?: ErrorOptions) {
    super(`srts[${index}]: is no valid subscription receipt token of this user`, options);
  }
}
