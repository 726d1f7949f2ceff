import { CallerNotAllowedError, InvalidTokenError } from '@tandem/auth';
import { POSTBACK_ERRORS } from '@tandem/internal-api';
import { defineErrors } from '@tandem/http-api';

/** Every error of this app and its status; the code is the error's own. */
export const ERRORS = defineErrors([
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [CallerNotAllowedError, 403],
  ...POSTBACK_ERRORS,
]);
