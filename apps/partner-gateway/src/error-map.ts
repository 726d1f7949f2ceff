import { InvalidTokenError, JwksUnavailableError } from '@tandem/auth';
import { defineErrors } from '@tandem/service-defaults';
import { InvalidCursorError } from './paging/paging.errors';
import { IntegrationKindMismatchError, PartnerNotFoundError } from './partner/partner.errors';
import { DeliveryNotFoundError, PostbackDisabledError, PostbackNotConfiguredError } from './postback/postback.errors';
import { PromotionCodeTakenError, PromotionNotActiveError, PromotionNotFoundError } from './promotion/promotion.errors';
import { RateLimitedError } from './rate-limit/rate-limit.errors';
import {
  PartnerInactiveError,
  RevokeWindowClosedError,
  SaleNotHeldError,
  SaleNotRevocableError,
  SubscriptionNotFoundError,
} from './sale/sale.errors';
import {
  PermissionDeniedError,
  TokenAlreadyRotatedError,
  TokenNotActiveError,
  TokenNotFoundError,
  UnauthorizedError,
} from './token/token.errors';
import {
  CouponCreationRunningError,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  VoucherGroupNotFoundError,
} from './voucher/voucher.errors';

const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer' } };
const SOON = { headers: { 'Retry-After': '1' } };

/** Every error of this app and its status; the code is the error's own. */
export const errorMap = defineErrors([
  [InvalidCursorError, 400],
  [UnauthorizedError, 401, CHALLENGE],
  [InvalidTokenError, 401, CHALLENGE],
  [PermissionDeniedError, 403],
  [IntegrationKindMismatchError, 403],
  [PartnerNotFoundError, 404],
  [TokenNotFoundError, 404],
  [PromotionNotFoundError, 404],
  [SubscriptionNotFoundError, 404],
  [PostbackNotConfiguredError, 404],
  [DeliveryNotFoundError, 404],
  [VoucherGroupNotFoundError, 404],
  [PostbackDisabledError, 409],
  [PromotionNotActiveError, 409],
  [PromotionCodeTakenError, 409],
  [SaleNotRevocableError, 409],
  [RevokeWindowClosedError, 409],
  [SaleNotHeldError, 409],
  [PartnerInactiveError, 409],
  [TokenNotActiveError, 409],
  [TokenAlreadyRotatedError, 409],
  [CouponCreationRunningError, 409, SOON],
  [IdempotentCreationRunningError, 409, SOON],
  [InsufficientStockError, 409],
  [IdempotencyKeyReusedError, 422],
  [
    RateLimitedError,
    429,
    { headers: (error: RateLimitedError) => ({ 'Retry-After': String(error.retryAfterSeconds) }) },
  ],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
]);
