/** A subscription receipt token is not valid, or belongs to another user. Only the log shows which of the reasons applies. */
export class InvalidReceiptError extends Error {
  readonly code = 'invalid_receipt';

  /** @param index the position in the list, from 0 */
  constructor(index: number, options?: ErrorOptions) {
    super(`srts[${index}]: is not a valid subscription receipt token of this user`, options);
  }
}
