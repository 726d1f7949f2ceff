import { CallerNotAllowedError, InvalidTokenError } from '@tandem/auth';
import { POSTBACK_ERRORS } from '@tandem/internal-api';
import { defineErrors } from '@tandem/http-api';

/** Maps every error of this app to its HTTP status. The `code` in the answer comes from the error itself. */
export const ERRORS = defineErrors([
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [CallerNotAllowedError, 403],
  ...POSTBACK_ERRORS,
]);
