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
import { appOf } from '../../apps';

function parseSecrets(text: string): string[] {
  const secrets = nonEmptyListOf(text);
  secrets.forEach(assertWebhookSecret);
  return secrets;
}

const Addresses = () =>
  Parsed((text) => new AddressList(listOf(text)), 'must be a comma list of IP addresses and CIDRs');

/**
 * The environment of webhook-ingest, in addition to what every app reads. README.md lists it in a table. Without an issuer of service
 * tokens, only signed webhooks are accepted.
 */
export class WebhookIngestConfig extends WithCallers(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'optional' }),
  appOf('webhook-ingest'),
) {
  /** A comma-separated list: the current secret of the billing provider and, during a rotation, the previous secret. */
  @ParsedSecret(parseSecrets, 'must be a comma list of whsec_ and base64 of 24 to 64 bytes')
  PAYMENTS_WEBHOOK_SECRETS!: string[];

  /** The secrets of the identity vendor, in the same form. */
  @ParsedSecret(parseSecrets, 'must be a comma list of whsec_ and base64 of 24 to 64 bytes')
  ARRAY_WEBHOOK_SECRETS!: string[];

  /** The key of the platform at the identity vendor. It must equal that of idp-api. */
  @IsString()
  @MinLength(1)
  @OwnSecret()
  VENDOR_APP_KEY!: string;

  /** How far `webhook-timestamp` may differ from this app's clock, in either direction, s. */
  @WholeNumber(1, 86_400)
  WEBHOOK_TOLERANCE_SECONDS = 300;

  /** A comma-separated list of the addresses and CIDRs from which callers are accepted. By default, any address is accepted. */
  @Addresses()
  INGEST_ALLOWED_IPS = new AddressList([]);

  /** A comma-separated list of the proxies whose `X-Forwarded-For` is trusted. By default, none is trusted. */
  @Addresses()
  INGEST_TRUSTED_PROXIES = new AddressList([]);

  /** The first key encrypts the bodies to store. Every key can decrypt them. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** Hashes e-mail addresses. The key must equal that of partner-gateway, because otherwise the hashes of the two apps cannot be compared. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** Hashes the codes of coupons. The key must equal that of voucher-service, because otherwise payments do not redeem coupons. */
  @Base64Key()
  COUPON_HASH_KEY!: Buffer;

  /** Verify the checkout tokens of purchases. The keys must equal those with which partner-gateway signs the tokens. */
  @ParsedSecret((text) => new CheckoutTokens(text), 'must be a comma list of <id>:<base64 of 32 bytes or more>')
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /** How long stored webhooks are kept. A duplicate of a payment that arrives later counts as new. */
  @WholeNumber(1, 3_650)
  WEBHOOK_RETENTION_DAYS = 90;

  /** After this time, an identical webhook of the identity vendor counts as new. */
  @WholeNumber(1, 31_536_000)
  ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS = 604_800;

  /** How often old rows are deleted. The first deletion follows within 10 s after the start. */
  @WholeNumber(10)
  WEBHOOK_CLEANUP_INTERVAL_MS = 3_600_000;
}
