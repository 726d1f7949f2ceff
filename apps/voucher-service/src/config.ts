import { BaseConfig } from '@tandem/service-defaults';
import { IsInt, Matches, Max, Min } from 'class-validator';

/** This app's environment. */
export class VoucherServiceConfig extends BaseConfig {
  /** Comma list; calls of other apps are signed with one of them. */
  @Matches(/^[^,]{32,}(,[^,]{32,})*$/, { message: 'must be a comma list of secrets of at least 32 characters' })
  INTERNAL_TOKEN_SECRETS!: string;

  /** `<base64 of 32 bytes or more>,…`: the first signs cursors, all verify. */
  @Matches(/^[A-Za-z0-9+/_-]{43,}={0,2}(\s*,\s*[A-Za-z0-9+/_-]{43,}={0,2})*$/, {
    message: 'must be a comma list of base64 of 32 bytes or more',
  })
  CURSOR_SIGNING_KEYS!: string;

  /** Base64 of at least 32 bytes; the same as webhook-ingest's, or no payment redeems a coupon. */
  @Matches(/^[A-Za-z0-9+/_-]{43,}={0,2}$/, { message: 'must be base64 of at least 32 bytes' })
  COUPON_HASH_KEY!: string;

  /** Coupons of a creation that does not say how many, or asks for too many. */
  @IsInt()
  @Min(1)
  @Max(10_000)
  VOUCHER_DEFAULT_COUNT = 10;

  /** A creation that asks for more gets the default count. */
  @IsInt()
  @Min(1)
  @Max(10_000)
  VOUCHER_MAX_COUNT = 500;

  /** Coupons of a page when the partner does not say. */
  @IsInt()
  @Min(1)
  @Max(10_000)
  VOUCHER_PAGE_DEFAULT_LIMIT = 100;

  @IsInt()
  @Min(1)
  @Max(10_000)
  VOUCHER_PAGE_MAX_LIMIT = 500;

  /** How long a creation is answered again to its `Idempotency-Key`. */
  @IsInt()
  @Min(1)
  @Max(31_536_000)
  IDEMPOTENCY_TTL_SECONDS = 86_400;

  get internalTokenSecrets(): string[] {
    return this.INTERNAL_TOKEN_SECRETS.split(',');
  }

  get couponHashKey(): Buffer {
    return Buffer.from(this.COUPON_HASH_KEY, 'base64');
  }

  get cursorSigningKeys(): Buffer[] {
    return this.CURSOR_SIGNING_KEYS.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  }
}
