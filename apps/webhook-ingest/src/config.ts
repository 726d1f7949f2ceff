import { assertWebhookSecret, CheckoutTokens } from '@tandem/auth';
import { FieldCipher } from '@tandem/database';
import { AddressList } from '@tandem/http-api';
import { WithCallers } from '@tandem/internal-api';
import {
  Base64Key,
  BaseConfig,
  FieldEncryptionKeys,
  listOf,
  nonEmptyListOf,
  OwnSecret,
  Parsed,
  ParsedSecret,
  WholeNumber,
  WithDatabase,
  WithEvents,
  WithJwtIssuers,
} from '@tandem/service-defaults';
import { IsString, MinLength } from 'class-validator';

function parseSecrets(text: string): string[] {
  const secrets = nonEmptyListOf(text);
  secrets.forEach(assertWebhookSecret);
  return secrets;
}

const Addresses = () =>
  Parsed((text) => new AddressList(listOf(text)), 'must be a comma list of IP addresses and CIDRs');

/**
 * The environment of webhook-ingest, in addition to what every app reads. README.md lists it in a table. Without an issuer of service
 * tokens only signed webhooks are accepted.
 */
export class WebhookIngestConfig extends WithCallers(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'optional' }),
  'webhook-ingest',
) {
  /** Comma list: the current secret, then the previous one during a rotation. */
  @ParsedSecret(parseSecrets, 'must be a comma list of whsec_ and base64 of 24 to 64 bytes')
  PAYMENTS_WEBHOOK_SECRETS!: string[];

  /** The same for the identity vendor. */
  @ParsedSecret(parseSecrets, 'must be a comma list of whsec_ and base64 of 24 to 64 bytes')
  ARRAY_WEBHOOK_SECRETS!: string[];

  /** The key of the platform at the identity vendor; must equal that of idp-api. */
  @IsString()
  @MinLength(1)
  @OwnSecret()
  VENDOR_APP_KEY!: string;

  /** How far `webhook-timestamp` may be from our clock, in either direction. */
  @WholeNumber(1, 86_400)
  WEBHOOK_TOLERANCE_SECONDS = 300;

  /** Comma list of addresses and CIDRs that may call. Default: any address. */
  @Addresses()
  INGEST_ALLOWED_IPS = new AddressList([]);

  /** Comma list of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  @Addresses()
  INGEST_TRUSTED_PROXIES = new AddressList([]);

  /** The first key encrypts the stored bodies. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** Must equal that of partner-gateway; otherwise the two cannot compare addresses. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** Must equal that of voucher-service; otherwise payments do not redeem coupons. */
  @Base64Key()
  COUPON_HASH_KEY!: Buffer;

  /** Must equal those of partner-gateway, which signs with them. This app verifies the tokens of purchases with them. */
  @ParsedSecret((text) => new CheckoutTokens(text), 'must be a comma list of <id>:<base64 of 32 bytes or more>')
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /** How long stored webhooks are kept. A duplicate of a payment that arrives later counts as new. */
  @WholeNumber(1, 3_650)
  WEBHOOK_RETENTION_DAYS = 90;

  /** After this time, an identical webhook of the identity vendor counts as new. */
  @WholeNumber(1, 31_536_000)
  ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS = 604_800;

  /** How often old rows are deleted; the first time within 10 s after the start. */
  @WholeNumber(10)
  WEBHOOK_CLEANUP_INTERVAL_MS = 3_600_000;
}
