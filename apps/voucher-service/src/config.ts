import { WithCallers } from '@tandem/internal-api';
import { Base64Key, Base64Keys, BaseConfig, WholeNumber, WithDatabase, WithEvents } from '@tandem/service-defaults';
import { appOf } from '../../apps';

/** This app's environment. */
export class VoucherServiceConfig extends WithCallers(WithEvents(WithDatabase(BaseConfig)), appOf('voucher-service')) {
  /** The first key signs cursors; all keys verify them. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  /** Must be the same key as in webhook-ingest; otherwise no payment redeems a coupon. */
  @Base64Key()
  COUPON_HASH_KEY!: Buffer;

  /** Number of coupons that are created when the request gives no number, or a number above the maximum. */
  @WholeNumber(1, 10_000)
  VOUCHER_DEFAULT_COUNT = 10;

  /** Maximum number of coupons that one request creates. A request for more coupons gets the default number. */
  @WholeNumber(1, 10_000)
  VOUCHER_MAX_COUNT = 500;

  /** Number of coupons on a page when the partner gives no limit. */
  @WholeNumber(1, 10_000)
  VOUCHER_PAGE_DEFAULT_LIMIT = 100;

  @WholeNumber(1, 10_000)
  VOUCHER_PAGE_MAX_LIMIT = 500;

  /** How long a repeated `Idempotency-Key` gets the first answer. */
  @WholeNumber(1, 31_536_000)
  IDEMPOTENCY_TTL_SECONDS = 86_400;
}
