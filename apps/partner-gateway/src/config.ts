import { CheckoutTokens } from '@tandem/auth';
import { comparableDomain } from '@tandem/contracts';
import { FieldCipher } from '@tandem/database';
import { WithCalls } from '@tandem/internal-api';
import {
  Base64Key,
  Base64Keys,
  BaseConfig,
  DevelopmentOnly,
  FieldEncryptionKeys,
  IsHttpsUrl,
  IsHttpUrl,
  listOf,
  Parsed,
  ParsedSecret,
  WholeNumber,
  WithDatabase,
  WithEvents,
  WithJwtIssuers,
} from '@tandem/service-defaults';

/** The shared count is in 32 bits. */
const MAX_RATE = 1_000_000_000;

/** Domains that hand out addresses to anybody for minutes. */
const DISPOSABLE_DOMAINS = [
  '10minutemail.com',
  'dispostable.com',
  'fakeinbox.com',
  'getnada.com',
  'guerrillamail.com',
  'maildrop.cc',
  'mailinator.com',
  'mailnesia.com',
  'mintemail.com',
  'sharklasers.com',
  'temp-mail.org',
  'tempmail.com',
  'throwawaymail.com',
  'trashmail.com',
  'yopmail.com',
];

/** The environment of partner-gateway. */
export class PartnerGatewayConfig extends WithCalls(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'required' }),
) {
  /** The page that checkout URLs open; plain HTTP only in development. */
  @IsHttpsUrl()
  CHECKOUT_BASE_URL!: string;

  /** `k2:<base64>,k1:<base64>`, each of 32 bytes or more: the first signs checkout tokens, all verify. */
  @ParsedSecret((text) => new CheckoutTokens(text), 'must be a comma list of <id>:<base64 of 32 bytes or more>')
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /** Life of a checkout URL. */
  @WholeNumber(1, 31_536_000)
  CHECKOUT_TTL_SECONDS = 86_400;

  /** The first encrypts partners' contact addresses, all decrypt. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The same as in webhook-ingest, so that hashes of addresses can be compared. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** The first signs the cursors of managers' lists, all verify. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  @IsHttpUrl()
  POSTBACK_DISPATCHER_URL!: string;

  /** A save resolves the endpoint's name, which may take its time. */
  @WholeNumber(1, 60_000)
  POSTBACK_DISPATCHER_TIMEOUT_MS = 10_000;

  /** A sample takes as long as an attempt: longer than POSTBACK_TIMEOUT_MS of postback-dispatcher. */
  @WholeNumber(1, 310_000)
  POSTBACK_TEST_TIMEOUT_MS = 20_000;

  @IsHttpUrl()
  VOUCHER_SERVICE_URL!: string;

  @WholeNumber(1, 60_000)
  VOUCHER_SERVICE_TIMEOUT_MS = 10_000;

  /** A new partner's time to revoke a sale. */
  @WholeNumber(0, 90)
  REVOKE_WINDOW_DAYS = 30;

  /** How long a rotated token stays valid when the rotation does not say. */
  @WholeNumber(0, 604_800)
  TOKEN_ROTATION_OVERLAP_SECONDS = 86_400;

  /** How often last uses of tokens are written. */
  @WholeNumber(1, 3600)
  TOKEN_USE_FLUSH_SECONDS = 60;

  /** More sales than this in any one hour by one buyer are held. */
  @WholeNumber(1)
  FRAUD_MAX_SALES_PER_HOUR = 5;

  /** Comma list; subdomains are meant too. Purchases with such an address are held. */
  @Parsed((text) => listOf(text).map(comparableDomain), 'must be a comma list of domains')
  DISPOSABLE_EMAIL_DOMAINS = DISPOSABLE_DOMAINS;

  /**
   * How long a refund or a purchase that is no partner's sale is remembered after its last change. A purchase that arrives later is
   * decided without it, so this must be longer than a webhook can wait: stored by webhook-ingest for 90 days, and a dead letter for 90 more.
   */
  @WholeNumber(1, 3_650)
  UNATTRIBUTED_SALE_RETENTION_DAYS = 180;

  /** Checkout URLs that a token gets in a window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_CHECKOUT_PER_MINUTE = 600;

  /** A token's other reads in a window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_READ_PER_MINUTE = 120;

  /** A token's writes in a window, but for creations of vouchers. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_WRITE_PER_MINUTE = 30;

  /** A token's creations of vouchers in a window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE = 10;

  /** The window of these limits; only tests have another than a minute. */
  @WholeNumber(1, 3600)
  @DevelopmentOnly((seconds) => seconds !== 60)
  RATE_LIMIT_WINDOW_SECONDS = 60;
}
