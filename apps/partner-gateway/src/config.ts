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

/** The highest rate limit that can be configured. The store of the rate limits counts requests in 32-bit integers. */
const MAX_RATE = 1_000_000_000;

/** The default of `DISPOSABLE_EMAIL_DOMAINS`. */
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

/** The environment variables of partner-gateway. */
export class PartnerGatewayConfig extends WithCalls(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'required' }),
) {
  /** The page that checkout URLs open. `staging` and `production` refuse plain HTTP. */
  @IsHttpsUrl()
  CHECKOUT_BASE_URL!: string;

  /** Has the form `k2:<base64>,k1:<base64>`, each key of 32 bytes or more. The first key signs checkout tokens; all keys verify them. */
  @ParsedSecret(
    (text) => new CheckoutTokens(text),
    'must be a comma-separated list of <id>:<base64 of 32 bytes or more>',
  )
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /** The URL of the console, which portal links open. `staging` and `production` refuse plain HTTP. */
  @IsHttpsUrl()
  CONSOLE_URL!: string;

  /** The lifetime of a checkout URL. */
  @WholeNumber(1, 31_536_000)
  CHECKOUT_TTL_SECONDS = 86_400;

  /** The first key encrypts the contact addresses of partners and the contact data of applicants; all keys decrypt them. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The key with which e-mail addresses are hashed. webhook-ingest must have the same key, so that the hashes of the two apps are comparable. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** The first key signs the cursors of lists; all keys verify them. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  @IsHttpUrl()
  POSTBACK_DISPATCHER_URL!: string;

  /**
   * The maximum wait for an answer of postback-dispatcher. It must exceed the time of a DNS lookup, because postback-dispatcher resolves the
   * endpoint's host name when it saves a postback configuration.
   */
  @WholeNumber(1, 60_000)
  POSTBACK_DISPATCHER_TIMEOUT_MS = 10_000;

  /**
   * The timeout of a call that makes postback-dispatcher send a sample to a partner's endpoint. The call can take as long as an attempt,
   * so the timeout must exceed `POSTBACK_TIMEOUT_MS` of postback-dispatcher.
   */
  @WholeNumber(1, 310_000)
  POSTBACK_TEST_TIMEOUT_MS = 20_000;

  @IsHttpUrl()
  VOUCHER_SERVICE_URL!: string;

  @WholeNumber(1, 60_000)
  VOUCHER_SERVICE_TIMEOUT_MS = 10_000;

  /** The revoke window of a new partner, unless the manager who creates the partner chooses another one. */
  @WholeNumber(0, 90)
  REVOKE_WINDOW_DAYS = 30;

  /** How long the old token stays valid after a rotation whose request gives no overlap. */
  @WholeNumber(0, 604_800)
  TOKEN_ROTATION_OVERLAP_SECONDS = 86_400;

  /** The interval at which the app writes the times of the last uses of tokens to the database. */
  @WholeNumber(1, 3600)
  TOKEN_USE_FLUSH_SECONDS = 60;

  /** The number of sales that a buyer can have within an hour before further sales are held. */
  @WholeNumber(1)
  FRAUD_MAX_SALES_PER_HOUR = 5;

  /**
   * A comma-separated list of the domains of disposable e-mail addresses. Sales to an address in one of these domains, or in a subdomain,
   * are held.
   */
  @Parsed((text) => listOf(text).map(comparableDomain), 'must be a comma-separated list of domains')
  DISPOSABLE_EMAIL_DOMAINS = DISPOSABLE_DOMAINS;

  /**
   * How long a row of `sale` with the status `unattributed` is kept after its last change. Such a row records a refund or chargeback
   * without a purchase, or a purchase that is attributed to no partner. Once the row is deleted, a late purchase of the same subscription is
   * decided without this record. The period must therefore not be shorter than the maximum delay of a purchase: the webhook of the purchase
   * can be replayed for 90 days, and the event of the purchase can then be a dead letter for 90 more days.
   */
  @WholeNumber(1, 3_650)
  UNATTRIBUTED_SALE_RETENTION_DAYS = 180;

  /** Whether companies can apply to become a partner. If not, `POST /api/v2/partner-applications` answers 404. */
  @IsBoolean()
  PARTNER_APPLICATIONS_ENABLED = false;

  /** The maximum number of requests to apply, valid or not, from one IPv4 address or one /64 network of IPv6 in an hour. */
  @WholeNumber(1, MAX_RATE)
  PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR = 5;

  /** The maximum number of valid applications from all addresses together in a day. */
  @WholeNumber(1, MAX_RATE)
  PARTNER_APPLICATIONS_PER_DAY = 200;

  /** How long an application is kept after its last change: its receipt, or the decision about it. */
  @WholeNumber(1, 3_650)
  PARTNER_APPLICATION_RETENTION_DAYS = 90;

  /**
   * A comma-separated list of the proxies whose `X-Forwarded-For` is trusted for the limit of applications per IP address. Default: none.
   */
  @Parsed((text) => new AddressList(listOf(text)), 'must be a comma-separated list of IP addresses and CIDRs')
  PARTNER_TRUSTED_PROXIES = new AddressList([]);

  /** The maximum number of requests for checkout URLs per token in a window of `RATE_LIMIT_WINDOW_SECONDS`. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_CHECKOUT_PER_MINUTE = 600;

  /** The maximum number of reads per token in a window of `RATE_LIMIT_WINDOW_SECONDS`, not counting requests for checkout URLs. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_READ_PER_MINUTE = 120;

  /** The maximum number of writes per token in a window of `RATE_LIMIT_WINDOW_SECONDS`, not counting requests that create coupons. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_WRITE_PER_MINUTE = 30;

  /** The maximum number of requests that create coupons, per token in a window of `RATE_LIMIT_WINDOW_SECONDS`. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE = 10;

  /** The length of the window of the four limits above. `staging` and `production` accept only 60 seconds. */
  @WholeNumber(1, 3600)
  @DevelopmentOnly((seconds) => seconds !== 60)
  RATE_LIMIT_WINDOW_SECONDS = 60;
}
