import { WithCallers } from '@tandem/internal-api';
import { Base64Key, Base64Keys, BaseConfig, WholeNumber, WithDatabase, WithEvents } from '@tandem/service-defaults';

/** This app's environment. */
export class VoucherServiceConfig extends WithCallers(WithEvents(WithDatabase(BaseConfig)), 'voucher-service') {
  /** The first signs cursors, all verify. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  /** Must equal webhook-ingest's; otherwise no payment redeems a coupon. */
  @Base64Key()
  COUPON_HASH_KEY!: Buffer;

  /** Coupons of a creation that gives no number, or one above the maximum. */
  @WholeNumber(1, 10_000)
  VOUCHER_DEFAULT_COUNT = 10;

  /** A creation that asks for more gets the default count. */
  @WholeNumber(1, 10_000)
  VOUCHER_MAX_COUNT = 500;

  /** Coupons of a page when the partner does not say. */
  @WholeNumber(1, 10_000)
  VOUCHER_PAGE_DEFAULT_LIMIT = 100;

  @WholeNumber(1, 10_000)
  VOUCHER_PAGE_MAX_LIMIT = 500;

  /** How long a creation is answered again to its `Idempotency-Key`. */
  @WholeNumber(1, 31_536_000)
  IDEMPOTENCY_TTL_SECONDS = 86_400;
}
