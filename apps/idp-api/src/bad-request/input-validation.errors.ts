import { ValidationFailedError } from '@tandem/http-api';

/** Fields of a request are missing or wrong. */
export class InputValidationError extends ValidationFailedError {
  /**
   * @param paths the paths of all invalid fields and of no others, such as `address.zip` or `alertIds[3]`; `body` when the whole body is
   *   invalid, for example missing or not an object
   */
  constructor(paths: readonly string[]) {
    super(paths.map((field) => ({ field, message: 'is missing or wrong' })));
  }
}
