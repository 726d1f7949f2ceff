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

/** Domains of disposable addresses. */
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

  /** `k2:<base64>,k1:<base64>`, each of 32 bytes or more: the first key signs checkout tokens, all keys verify them. */
  @ParsedSecret((text) => new CheckoutTokens(text), 'must be a comma list of <id>:<base64 of 32 bytes or more>')
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /** The URL of the console, which portal links open. Plain HTTP only in development. */
  @IsHttpsUrl()
  CONSOLE_URL!: string;

  /** Lifetime of a checkout URL. */
  @WholeNumber(1, 31_536_000)
  CHECKOUT_TTL_SECONDS = 86_400;

  /** The first key encrypts partners' contact addresses, all keys decrypt. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The same key as in webhook-ingest, so that hashes of addresses are comparable. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** The first key signs the cursors of managers' lists, all keys verify them. */
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

  /** How long a rotated token stays valid when the rotation gives no overlap. */
  @WholeNumber(0, 604_800)
  TOKEN_ROTATION_OVERLAP_SECONDS = 86_400;

  /** How often the times at which tokens were last used are written. */
  @WholeNumber(1, 3600)
  TOKEN_USE_FLUSH_SECONDS = 60;

  /** A buyer's sales beyond this number within any one hour are held. */
  @WholeNumber(1)
  FRAUD_MAX_SALES_PER_HOUR = 5;

  /** Comma list. Purchases with an address in one of these domains, or in a subdomain, are held. */
  @Parsed((text) => listOf(text).map(comparableDomain), 'must be a comma list of domains')
  DISPOSABLE_EMAIL_DOMAINS = DISPOSABLE_DOMAINS;

  /**
   * How long the facts of a subscription without a partner's sale (a refund, or a purchase that no partner gets) are kept after their last
   * change. A purchase that arrives later is decided without them, so this must exceed the maximum delay of a webhook: webhook-ingest
   * stores it for 90 days, and it can then be a dead letter for 90 more.
   */
  @WholeNumber(1, 3_650)
  UNATTRIBUTED_SALE_RETENTION_DAYS = 180;

  /** Whether applications to become a partner are enabled. If not, the route answers 404. */
  @IsBoolean()
  PARTNER_APPLICATIONS_ENABLED = false;

  /** Maximum number of applications from one address in an hour. */
  @WholeNumber(1, MAX_RATE)
  PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR = 5;

  /** Maximum number of applications from all addresses in a day. */
  @WholeNumber(1, MAX_RATE)
  PARTNER_APPLICATIONS_PER_DAY = 200;

  /** How long an application is kept after it was received or decided. */
  @WholeNumber(1, 3_650)
  PARTNER_APPLICATION_RETENTION_DAYS = 90;

  /** Comma list of proxies whose `X-Forwarded-For` is trusted, for the limit per address. Default: none. */
  @Parsed((text) => new AddressList(listOf(text)), 'must be a comma list of IP addresses and CIDRs')
  PARTNER_TRUSTED_PROXIES = new AddressList([]);

  /** Checkout URLs that a token can create per window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_CHECKOUT_PER_MINUTE = 600;

  /** Other reads of a token per window. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_READ_PER_MINUTE = 120;

  /** Writes of a token per window, except the creation of coupons. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_WRITE_PER_MINUTE = 30;

  /** Requests of a token per window that create coupons. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE = 10;

  /** The window of these limits. Only tests set it to anything but a minute. */
  @WholeNumber(1, 3600)
  @DevelopmentOnly((seconds) => seconds !== 60)
  RATE_LIMIT_WINDOW_SECONDS = 60;
}
