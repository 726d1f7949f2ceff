import { ErrorOf, type ErrorRow } from '@tandem/http-api';

/** The user is unknown. Calls that need a profile also fail with this error for a user without a profile. */
export class SupportUserNotFoundError extends ErrorOf('user_not_found', 'unknown user') {}

/** The vendor does not confirm the user's identity. */
export class IdentityNotConfirmedError extends ErrorOf(
  'identity_not_confirmed',
  'the identity vendor does not confirm the identity; nothing was changed',
) {}

/** Neither subscriptions nor receipts entitle the user to identity protection. */
export class EntitlementsMissingError extends ErrorOf('entitlements_required', 'entitlements required') {}

/** A verification was refused, and the wait that followed has not ended. */
export class UserHasToWaitError extends ErrorOf(
  'attempts_too_early',
  'the user is locked for some time after a refused verification; an unlock, or a PATCH that the vendor confirms, ends the lock',
) {}

/** The user has had the maximum number of refused verifications. */
export class UserLockedOutError extends ErrorOf(
  'maximum_attempts_reached',
  'the user is locked out after 3 refused verifications; an unlock, or a PATCH that the vendor confirms, ends the lock',
) {}

/** The vendor failed: nothing was stored. */
export class VendorUnavailableError extends ErrorOf('vendor_failed', 'provider unavailable') {}

/** The vendor did not answer in time: nothing was stored, but the vendor may still carry out the call. */
export class VendorTooSlowError extends ErrorOf('vendor_timeout', 'provider timed out') {}

/** Other requests of the same user took too long, or this request lost the lock of the user, and another request changed the user. */
export class UserIsBusyError extends ErrorOf('user_busy', 'provider timed out') {}

/** The errors that idp-api returns to idp-support. idp-support returns some of them to support with another status. */
export const IDENTITY_SUPPORT_ERRORS: readonly ErrorRow[] = [
  [SupportUserNotFoundError, 400],
  [IdentityNotConfirmedError, 400],
  [EntitlementsMissingError, 400],
  [UserHasToWaitError, 429],
  [UserLockedOutError, 403],
  [VendorUnavailableError, 502],
  [VendorTooSlowError, 504],
  [UserIsBusyError, 504],
];
