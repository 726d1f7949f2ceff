import { InvalidTokenError, JwksUnavailableError, UnauthorizedError } from '@tandem/auth';
import {
  EntitlementsMissingError,
  IdentityNotConfirmedError,
  SupportUserNotFoundError,
  UserHasToWaitError,
  UserIsBusyError,
  UserLockedOutError,
  VendorTooSlowError,
  VendorUnavailableError,
} from '@tandem/internal-api';
import { defineErrors, ValidationFailedError } from '@tandem/http-api';
import { InvalidReceiptError } from './receipt/receipt.errors';
import { PermissionDeniedError } from './support-authentication/support-authentication.errors';

const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer' } };

/** Maps errors to statuses; http-api maps the expected errors that are not listed here. The body is `{"error"}` with the message. */
export const ERRORS = defineErrors([
  [UnauthorizedError, 401, CHALLENGE],
  [InvalidTokenError, 401, CHALLENGE],
  [PermissionDeniedError, 403],
  [ValidationFailedError, 400],
  [InvalidReceiptError, 400],
  [SupportUserNotFoundError, 404],
  [IdentityNotConfirmedError, 400],
  [EntitlementsMissingError, 400],
  [UserHasToWaitError, 400],
  [UserLockedOutError, 400],
  [VendorUnavailableError, 502],
  [VendorTooSlowError, 504],
  [UserIsBusyError, 504],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
]);
