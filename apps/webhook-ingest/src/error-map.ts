import { CallerNotAllowedError, InvalidTokenError, JwksUnavailableError } from '@tandem/auth';
import { defineErrors, ValidationFailedError } from '@tandem/http-api';
import {
  UnauthorizedCallerError,
  UnsupportedContentError,
} from './webhook-authentication/webhook-authentication.errors';
import { WebhookNotFoundError } from './webhook-record/webhook-record.errors';

const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer' } };

/** Maps the errors of this app to the answers that callers get. The 401 to a webhook does not show what is wrong with its credentials. */
export const ERRORS = defineErrors([
  [UnauthorizedCallerError, 401, CHALLENGE],
  [InvalidTokenError, 401, CHALLENGE],
  [CallerNotAllowedError, 403],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
  [UnsupportedContentError, 415],
  [ValidationFailedError, 400],
  [WebhookNotFoundError, 404],
]);
