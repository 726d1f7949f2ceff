import { ErrorOf, type ErrorRow, InvalidCursorError } from '@tandem/http-api';

/** The partner has no configuration in this environment. */
export class PostbackNotConfiguredError extends ErrorOf('postback_not_configured', 'No postback is configured') {}

/** Nothing is sent until the configuration is saved again. */
export class PostbackDisabledError extends ErrorOf(
  'postback_disabled',
  'The postback configuration is disabled: save it again, then replay',
) {}

/** A sale that was paid back is not posted, and not posted again. */
export class SaleClosedError extends ErrorOf(
  'sale_closed',
  'The sale was refunded or charged back: its postback is not sent',
) {}

/** Unknown, too old, or another partner's: they look the same. Not `not_found`, which is also said of a path that is not there. */
export class DeliveryNotFoundError extends ErrorOf('delivery_not_found', 'There is no such delivery') {}

/** What postback-dispatcher answers to partner-gateway. */
export const POSTBACK_ERRORS: readonly ErrorRow[] = [
  [InvalidCursorError, 400],
  [PostbackNotConfiguredError, 404],
  [DeliveryNotFoundError, 404],
  [PostbackDisabledError, 409],
  [SaleClosedError, 409],
];
