import { ErrorOf, type ErrorRow, InvalidCursorError } from '@tandem/http-api';

/**
 * The group is unknown. A partner gets the same answer for these groups:
 * - a group of another partner or of the other environment
 * - an inactive group
 * - for a creation of coupons, an expired group
 */
export class VoucherGroupNotFoundError extends ErrorOf('voucher_group_not_found', 'There is no such voucher group') {}

/** Another request with this partner token is creating coupons: each token can run one creation at a time. */
export class CouponCreationRunningError extends ErrorOf(
  'creation_in_progress',
  'Another creation with this token is running',
) {}

/** The group has fewer coupons left than requested, so none is created. */
export class InsufficientStockError extends ErrorOf(
  'insufficient_stock',
  'The voucher group has fewer coupons left than requested',
) {}

/** Another request with this partner token and this `Idempotency-Key` is still running. */
export class IdempotentCreationRunningError extends ErrorOf(
  'idempotency_in_progress',
  'A request with this Idempotency-Key is running',
) {}

/** An earlier request with this partner token and this `Idempotency-Key` had another group or count. */
export class IdempotencyKeyReusedError extends ErrorOf(
  'idempotency_key_reused',
  'The Idempotency-Key was used for another request',
) {}

const SOON = { headers: { 'Retry-After': '1' } };

/** The errors that voucher-service returns to partner-gateway, and partner-gateway to partners. */
export const VOUCHER_ERRORS: readonly ErrorRow[] = [
  [InvalidCursorError, 400],
  [VoucherGroupNotFoundError, 404],
  [CouponCreationRunningError, 409, SOON],
  [IdempotentCreationRunningError, 409, SOON],
  [InsufficientStockError, 409],
  [IdempotencyKeyReusedError, 422],
];
