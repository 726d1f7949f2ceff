/** A subscription receipt token is invalid, or belongs to another user. Only the log shows the exact reason. */
export class InvalidReceiptError extends Error {
  readonly code = 'invalid_receipt';

  /** @param index the position of the token in the list, from 0 */
  constructor(index: number, options?: ErrorOptions) {
    super(`srts[${index}]: is not a valid subscription receipt token of this user`, options);
  }
}
