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
  Parsed((text) => new AddressList(listOf(text)), 'must be a comma-separated list of IP addresses and CIDRs');

/**
 * The environment variables of webhook-ingest, in addition to those that every app reads. README.md lists all of them. If no issuer of
 * service tokens is configured, only signed webhooks are accepted.
 */
export class WebhookIngestConfig extends WithCallers(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'optional' }),
  appOf('webhook-ingest'),
) {
  /** A comma-separated list: the current secret of the billing provider and, during a rotation, the previous secret. */
  @ParsedSecret(parseSecrets, 'must be a comma-separated list of secrets, each whsec_ and base64 of 24 to 64 bytes')
  PAYMENTS_WEBHOOK_SECRETS!: string[];

  /** The secrets of the identity vendor, in the same form as those of the billing provider. */
  @ParsedSecret(parseSecrets, 'must be a comma-separated list of secrets, each whsec_ and base64 of 24 to 64 bytes')
  ARRAY_WEBHOOK_SECRETS!: string[];

  /** The key that the identity vendor has given to the platform. It must be the same as in idp-api. */
  @IsString()
  @MinLength(1)
  @OwnSecret()
  VENDOR_APP_KEY!: string;

  /** The maximum difference between `webhook-timestamp` and this app's clock, in either direction, in seconds. */
  @WholeNumber(1, 86_400)
  WEBHOOK_TOLERANCE_SECONDS = 300;

  /** A comma-separated list of the IP addresses and CIDRs that may send webhooks. If it is empty, which is the default, any address may. */
  @Addresses()
  INGEST_ALLOWED_IPS = new AddressList([]);

  /** A comma-separated list of the proxies whose `X-Forwarded-For` is trusted. By default, none is trusted. */
  @Addresses()
  INGEST_TRUSTED_PROXIES = new AddressList([]);

  /** The first key encrypts the bodies that are stored; any of the keys can decrypt them. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The key that hashes e-mail addresses. It must be the same as in partner-gateway, so that the hashes of both apps are comparable. */
  @Base64Key()
  EMAIL_HASH_KEY!: Buffer;

  /** The key that hashes the codes of coupons. It must be the same as in voucher-service, which finds the coupon of a payment by this hash. */
  @Base64Key()
  COUPON_HASH_KEY!: Buffer;

  /** The keys that verify the checkout tokens of purchases. They must be the same as in partner-gateway, which signs the tokens. */
  @ParsedSecret(
    (text) => new CheckoutTokens(text),
    'must be a comma-separated list of <id>:<base64 of 32 bytes or more>',
  )
  CHECKOUT_SIGNING_KEYS!: CheckoutTokens;

  /**
   * How long stored webhooks are kept. If the same payment webhook is received again after this time, it is not recognized as a duplicate.
   */
  @WholeNumber(1, 3_650)
  WEBHOOK_RETENTION_DAYS = 90;

  /**
   * How long a webhook of the identity vendor is remembered. If it is received again after this time, it is not recognized as a duplicate.
   */
  @WholeNumber(1, 31_536_000)
  ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS = 604_800;

  /** How often old rows are deleted. The first deletion begins within 10 s of the start. */
  @WholeNumber(10, 86_400_000)
  WEBHOOK_CLEANUP_INTERVAL_MS = 3_600_000;
}
