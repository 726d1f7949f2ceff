import { CallerNotAllowedError, InvalidTokenError, JwksUnavailableError, UnauthorizedError } from '@tandem/auth';
import { defineErrors, TwoFactorAuthRequiredError, UnreadableBodyError, ValidationFailedError } from '@tandem/http-api';
import { AlertNotFoundError } from './alert/alert.errors';
import { EntitlementsRequiredError } from './entitlement/entitlement.errors';
import { UserAlreadyExistsError, UserNotFoundError } from './profile/profile.errors';
import { UserBusyError } from './user-lock/user-lock.errors';
import { VendorError, VendorTimeoutError } from './array/vendor.errors';
import { AttemptsTooEarlyError, IdentityNotConfirmedError, MaximumAttemptsError } from './profile/verification.errors';

const retryAfter = ({ retryAfterSeconds }: { retryAfterSeconds: number }) => ({
  'Retry-After': String(retryAfterSeconds),
});

/** The challenge of RFC 9470. It asks the client to get a token with a second factor, and to repeat the request. */
const STEP_UP = 'Bearer error="insufficient_user_authentication", acr_values="mfa"';

/**
 * Maps errors to statuses and headers; http-api maps the expected errors that are not listed here. bad-request-format.ts defines the body.
 */
export const ERRORS = defineErrors([
  [UnauthorizedError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [CallerNotAllowedError, 403],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
  [TwoFactorAuthRequiredError, 400, { headers: { 'WWW-Authenticate': STEP_UP } }],
  [ValidationFailedError, 400],
  [UnreadableBodyError, 400, { code: 'unreadable_body' }],
  [UserAlreadyExistsError, 400],
  [UserNotFoundError, 400],
  [EntitlementsRequiredError, 400],
  [AttemptsTooEarlyError, 429, { headers: retryAfter }],
  [MaximumAttemptsError, 403],
  [IdentityNotConfirmedError, 400],
  [AlertNotFoundError, 404],
  [VendorError, 502],
  [VendorTimeoutError, 504],
  [UserBusyError, 504],
]);
