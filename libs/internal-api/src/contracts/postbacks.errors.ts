import { ErrorOf, type ErrorRow, InvalidCursorError } from '@tandem/http-api';

/** The partner has no configuration in this environment. */
export class PostbackNotConfiguredError extends ErrorOf('postback_not_configured', 'No postback is configured') {}

/** The configuration is disabled. No delivery is sent until the partner saves the configuration again, or a manager enables it. */
export class PostbackDisabledError extends ErrorOf(
  'postback_disabled',
  'The postback configuration is disabled: the partner must save it again, or a manager must enable it',
) {}

/** The sale was refunded or charged back. From then on, its postback is neither sent nor replayed. */
export class SaleClosedError extends ErrorOf(
  'sale_closed',
  'The sale was refunded or charged back: its postback is not sent',
) {}

/**
 * The delivery is unknown, too old, another partner's, or belongs to the other environment: the answer is the same in all these cases. The
 * code is not `not_found`, because that code also means an unknown path.
 */
export class DeliveryNotFoundError extends ErrorOf('delivery_not_found', 'There is no such delivery') {}

/** The errors that postback-dispatcher returns to partner-gateway. */
export const POSTBACK_ERRORS: readonly ErrorRow[] = [
  [InvalidCursorError, 400],
  [PostbackNotConfiguredError, 404],
  [DeliveryNotFoundError, 404],
  [PostbackDisabledError, 409],
  [SaleClosedError, 409],
];
