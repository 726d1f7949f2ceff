import { ValidationFailedError } from '@tandem/http-api';

/** Fields of a request are missing or wrong. */
export class InputValidationError extends ValidationFailedError {
  /** @param paths exactly the bad ones, as `address.zip` or `alertIds[3]`; `body` for a body that is missing or no object */
  constructor(paths: readonly string[]) {
    super(paths.map((field) => ({ field, message: 'is missing or wrong' })));
  }
}
