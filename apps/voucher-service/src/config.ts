import { WithCallers } from '@tandem/internal-api';
import { Base64Key, Base64Keys, BaseConfig, WholeNumber, WithDatabase, WithEvents } from '@tandem/service-defaults';
import { appOf } from '../../apps';

/** The environment variables of this app. */
export class VoucherServiceConfig extends WithCallers(WithEvents(WithDatabase(BaseConfig)), appOf('voucher-service')) {
  /** The first key signs cursors. Every key in the list can verify them. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  /** The key with which codes are hashed. webhook-ingest must have the same key; otherwise, no payment would redeem a coupon. */
  @Base64Key()
  COUPON_HASH_KEY!: Buffer;

  /** How many coupons are created when the request gives no number, or a number above `VOUCHER_MAX_COUNT`. */
  @WholeNumber(1, 10_000)
  VOUCHER_DEFAULT_COUNT = 10;

  /** The maximum number of coupons for one request. A request for more coupons gets the default number. */
  @WholeNumber(1, 10_000)
  VOUCHER_MAX_COUNT = 500;

  /** The maximum number of coupons on a page when the request gives no limit. */
  @WholeNumber(1, 10_000)
  VOUCHER_PAGE_DEFAULT_LIMIT = 100;

  @WholeNumber(1, 10_000)
  VOUCHER_PAGE_MAX_LIMIT = 500;

  /** How long an `Idempotency-Key` is kept. A request that repeats a kept key gets the answer to the first request with this key. */
  @WholeNumber(1, 31_536_000)
  IDEMPOTENCY_TTL_SECONDS = 86_400;
}
