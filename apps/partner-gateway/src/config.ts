import { CheckoutTokens } from '@tandem/auth';
import { comparableDomain } from '@tandem/contracts';
import { FieldCipher } from '@tandem/database';
import { AddressList } from '@tandem/http-api';
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
import { IsBoolean } from 'class-validator';

/** The shared counter of requests has 32 bits. */
const MAX_RATE = 1_000_000_000;

/** Domains of disposable e-mail addresses. */
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

  /** `k2:<base64>,k1:<base64>`, each of 32 bytes or more: the first key signs checkout tokens; all keys verify them. */
  @ParsedSecret((text) => new CheckoutTokens(text), 'must be a comma list of <id>:<base64 of 32 bytes or more>')
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /** The URL of the console, which portal links open. Plain HTTP only in development. */
  @IsHttpsUrl()
  CONSOLE_URL!: string;

  /** The lifetime of a checkout URL. */
  @WholeNumber(1, 31_536_000)
  CHECKOUT_TTL_SECONDS = 86_400;

  /** The first key encrypts the contact addresses of partners and applicants; all keys decrypt them. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** Must be the same key as in webhook-ingest, so that hashes of e-mail addresses are comparable. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** The first key signs the cursors of lists; all keys verify them. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  @IsHttpUrl()
  POSTBACK_DISPATCHER_URL!: string;

  /** Must exceed the time of a DNS lookup: saving a configuration resolves the endpoint's host name. */
  @WholeNumber(1, 60_000)
  POSTBACK_DISPATCHER_TIMEOUT_MS = 10_000;

  /** A test send can take as long as an attempt, so this must exceed POSTBACK_TIMEOUT_MS of postback-dispatcher. */
  @WholeNumber(1, 310_000)
  POSTBACK_TEST_TIMEOUT_MS = 20_000;

  @IsHttpUrl()
  VOUCHER_SERVICE_URL!: string;

  @WholeNumber(1, 60_000)
  VOUCHER_SERVICE_TIMEOUT_MS = 10_000;

  /** For how many days a new partner can revoke a sale. */
  @WholeNumber(0, 90)
  REVOKE_WINDOW_DAYS = 30;

  /** How long a rotated token stays valid when the request to rotate it gives no overlap. */
  @WholeNumber(0, 604_800)
  TOKEN_ROTATION_OVERLAP_SECONDS = 86_400;

  /** How often the app stores the times at which tokens were last used. */
  @WholeNumber(1, 3600)
  TOKEN_USE_FLUSH_SECONDS = 60;

  /** The number of sales that a buyer can have within an hour. Further sales are held. */
  @WholeNumber(1)
  FRAUD_MAX_SALES_PER_HOUR = 5;

  /** A comma list. Purchases with an e-mail address in one of these domains, or in a subdomain, are held. */
  @Parsed((text) => listOf(text).map(comparableDomain), 'must be a comma list of domains')
  DISPOSABLE_EMAIL_DOMAINS = DISPOSABLE_DOMAINS;

  /**
   * How long the row of a subscription that is not a partner's sale is kept after its last change. Such a row records a
   * refund without a purchase, or a purchase that is attributed to no partner. A purchase that arrives later is decided
   * without this row, so the period must exceed the maximum delay of a webhook: webhook-ingest stores it for 90 days, and
   * its event can then be a dead letter for 90 more days.
   */
  @WholeNumber(1, 3_650)
  UNATTRIBUTED_SALE_RETENTION_DAYS = 180;

  /** Whether applications to become a partner are enabled. While they are disabled, the endpoint answers 404. */
  @IsBoolean()
  PARTNER_APPLICATIONS_ENABLED = false;

  /** Maximum number of applications from one IP address in an hour. */
  @WholeNumber(1, MAX_RATE)
  PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR = 5;

  /** Maximum number of applications from all addresses in a day. */
  @WholeNumber(1, MAX_RATE)
  PARTNER_APPLICATIONS_PER_DAY = 200;

  /** How long an application is kept after it was received or decided. */
  @WholeNumber(1, 3_650)
  PARTNER_APPLICATION_RETENTION_DAYS = 90;

  /** A comma list of the proxies whose `X-Forwarded-For` is trusted when the limit per IP address is applied. Default: none. */
  @Parsed((text) => new AddressList(listOf(text)), 'must be a comma list of IP addresses and CIDRs')
  PARTNER_TRUSTED_PROXIES = new AddressList([]);

  /** Maximum number of checkout URLs that a token can create per window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_CHECKOUT_PER_MINUTE = 600;

  /** Maximum number of other reads by a token per window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_READ_PER_MINUTE = 120;

  /** Maximum number of writes by a token per window. Creations of coupons are counted separately. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_WRITE_PER_MINUTE = 30;

  /** Maximum number of requests per window with which a token creates coupons. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE = 10;

  /** The window of these rate limits. Only tests set it to a value other than a minute. */
  @WholeNumber(1, 3600)
  @DevelopmentOnly((seconds) => seconds !== 60)
  RATE_LIMIT_WINDOW_SECONDS = 60;
}
