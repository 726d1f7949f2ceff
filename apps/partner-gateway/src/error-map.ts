import { PermissionDeniedError } from './admin/admin.errors';
import {
  ApplicationDecidedError,
  ApplicationNotFoundError,
  ApplicationsDisabledError,
} from './application/application.errors';
import { JwksUnavailableError, UnauthorizedError } from '@tandem/auth';
import { defineErrors } from '@tandem/http-api';
import {
  DeliveryNotFoundError,
  PostbackDisabledError,
  PostbackNotConfiguredError,
  SaleClosedError,
  VOUCHER_ERRORS,
} from '@tandem/internal-api';
import { IntegrationKindMismatchError, PartnerNotFoundError } from './partner/partner.errors';
import { PortalLinkNotFoundError } from './portal-link/portal-link.errors';
import { PromotionCodeTakenError, PromotionNotActiveError, PromotionNotFoundError } from './promotion/promotion.errors';
import {
  PartnerInactiveError,
  RevokeWindowClosedError,
  SaleNotHeldError,
  SaleNotRevocableError,
  SubscriptionNotFoundError,
} from './sale/sale.errors';
import {
  PortalSessionTokenError,
  TokenAlreadyRotatedError,
  TokenNotActiveError,
  TokenNotFoundError,
} from './token/token.errors';

/** Missing, malformed, unknown, expired and revoked credentials get the same answer, so that callers cannot distinguish these cases. */
const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer' }, detail: 'A valid bearer token is needed' };

/** Maps the errors of this app and of the apps that it calls to statuses. An answer has the error's `code`, unless the error's row sets another. */
export const errorMap = defineErrors([
  ...VOUCHER_ERRORS,
  [UnauthorizedError, 401, CHALLENGE],
  [PermissionDeniedError, 403],
  [IntegrationKindMismatchError, 403],
  [PartnerNotFoundError, 404],
  [ApplicationNotFoundError, 404],
  [ApplicationsDisabledError, 404],
  [TokenNotFoundError, 404],
  [PortalLinkNotFoundError, 404],
  [PromotionNotFoundError, 404],
  [SubscriptionNotFoundError, 404],
  [PostbackNotConfiguredError, 404],
  [DeliveryNotFoundError, 404, { code: 'not_found' }],
  [PostbackDisabledError, 409],
  [SaleClosedError, 409],
  [PromotionNotActiveError, 409],
  [PromotionCodeTakenError, 409],
  [SaleNotRevocableError, 409],
  [RevokeWindowClosedError, 409],
  [SaleNotHeldError, 409],
  [ApplicationDecidedError, 409],
  [PartnerInactiveError, 409],
  [TokenNotActiveError, 409],
  [TokenAlreadyRotatedError, 409],
  [PortalSessionTokenError, 409],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
]);
