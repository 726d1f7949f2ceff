import { CallerNotAllowedError, InvalidTokenError } from '@tandem/auth';
import { POSTBACK_ERRORS } from '@tandem/internal-api';
import { defineErrors } from '@tandem/http-api';

/**
 * Maps the errors of this app to HTTP statuses. The `code` in the answer comes from the error itself. libs/http-api maps errors that
 * every app has, such as ValidationFailedError.
 */
export const ERRORS = defineErrors([
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [CallerNotAllowedError, 403],
  ...POSTBACK_ERRORS,
]);
