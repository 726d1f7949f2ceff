import { InvalidTokenError } from '@tandem/auth';
import { defineErrors } from '@tandem/service-defaults';
import {
  CouponCreationRunningError,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InvalidCursorError,
} from './coupon/coupon.errors';
import { InsufficientStockError, VoucherGroupNotFoundError } from './voucher-group/voucher-group.errors';

const SOON = { headers: { 'Retry-After': '1' } };

/** Every error of this app and its status; the code is the error's own. */
export const ERRORS = defineErrors([
  [InvalidCursorError, 400],
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [VoucherGroupNotFoundError, 404],
  [CouponCreationRunningError, 409, SOON],
  [IdempotentCreationRunningError, 409, SOON],
  [InsufficientStockError, 409],
  [IdempotencyKeyReusedError, 422],
]);
