import { assertWebhookSecret } from '@tandem/auth';
import { FieldCipher } from '@tandem/database';
import { BaseConfig } from '@tandem/service-defaults';
import { IsInt, IsString, IsUrl, Max, Min, ValidateBy, ValidateIf } from 'class-validator';
import { AddressList } from './webhook-authentication/webhook-authentication.rules';

const MIN_HASH_KEY_BYTES = 32;

/** Valid when `parse` does not throw. The text itself is never in the message: it may be a secret. */
const Parses = (parse: (text: string) => unknown, message: string): PropertyDecorator =>
  ValidateBy(
    {
      name: 'parses',
      validator: {
        validate: (value: unknown) => {
          if (typeof value !== 'string') return false;
          try {
            parse(value);
            return true;
          } catch {
            return false;
          }
        },
      },
    },
    { message },
  );

/** `a, b,` → `['a', 'b']` */
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

function parseSecrets(text: string): void {
  const secrets = listOf(text);
  if (secrets.length === 0) throw new Error('there is none');
  secrets.forEach(assertWebhookSecret);
}

function parseHashKey(text: string): void {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new Error('no base64');
  if (Buffer.from(text, 'base64').length < MIN_HASH_KEY_BYTES) throw new Error('too short');
}

/** The environment of webhook-ingest, beside what every app reads. README.md has it as a table. */
export class WebhookIngestConfig extends BaseConfig {
  /** Comma list: the current secret first, then the one before while a rotation lasts. */
  @Parses(parseSecrets, 'must be a comma list of whsec_ and base64 of 24 to 64 bytes')
  PAYMENTS_WEBHOOK_SECRETS!: string;

  /** How far `webhook-timestamp` may be from our clock, both ways. */
  @IsInt()
  @Min(1)
  @Max(86_400)
  WEBHOOK_TOLERANCE_SECONDS = 300;

  /** Comma list of addresses and CIDRs that may call; everybody when left out. */
  @Parses((text) => new AddressList(listOf(text)), 'must be a comma list of IP addresses and CIDRs')
  INGEST_ALLOWED_IPS = '';

  /** Comma list of proxies whose `X-Forwarded-For` is believed; nobody's when left out. */
  @Parses((text) => new AddressList(listOf(text)), 'must be a comma list of IP addresses and CIDRs')
  INGEST_TRUSTED_PROXIES = '';

  /** `iss` of service access tokens; without it only signed webhooks are taken. */
  @ValidateIf((config: WebhookIngestConfig) => config.JWT_SERVICE_ISSUER !== undefined || hasJwks(config))
  @IsString()
  JWT_SERVICE_ISSUER?: string;

  /** Where that issuer's keys are. */
  @ValidateIf((config: WebhookIngestConfig) => config.JWT_SERVICE_ISSUER !== undefined || hasJwks(config))
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  JWT_SERVICE_JWKS_URL?: string;

  @IsString()
  JWT_AUDIENCE = 'tandem';

  /** `k2:<base64 of 32 bytes>,k1:…`: the first encrypts the stored bodies. */
  @Parses((text) => new FieldCipher(text), 'must be a comma list of <id>:<base64 of 32 bytes>')
  FIELD_ENCRYPTION_KEYS!: string;

  /** Base64 of at least 32 bytes; the same in partner-gateway, or the two could not compare addresses. */
  @Parses(parseHashKey, `must be base64 of at least ${MIN_HASH_KEY_BYTES} bytes`)
  EMAIL_HASH_KEY!: string;

  /** Base64 of at least 32 bytes; the same in voucher-service, or no payment redeems a coupon. */
  @Parses(parseHashKey, `must be base64 of at least ${MIN_HASH_KEY_BYTES} bytes`)
  COUPON_HASH_KEY!: string;

  /** Stored webhooks are kept for this long; a duplicate that comes later counts as new. */
  @IsInt()
  @Min(1)
  @Max(3_650)
  PAYMENT_EVENT_RETENTION_DAYS = 90;

  /** How often old ones are deleted. */
  @IsInt()
  @Min(10)
  PAYMENT_EVENT_CLEANUP_INTERVAL_MS = 3_600_000;

  get webhookSecrets(): string[] {
    return listOf(this.PAYMENTS_WEBHOOK_SECRETS);
  }

  get allowedAddresses(): AddressList {
    return new AddressList(listOf(this.INGEST_ALLOWED_IPS));
  }

  get trustedProxies(): AddressList {
    return new AddressList(listOf(this.INGEST_TRUSTED_PROXIES));
  }

  get emailHashKey(): Buffer {
    return Buffer.from(this.EMAIL_HASH_KEY, 'base64');
  }

  get couponHashKey(): Buffer {
    return Buffer.from(this.COUPON_HASH_KEY, 'base64');
  }
}

function hasJwks(config: WebhookIngestConfig): boolean {
  return config.JWT_SERVICE_JWKS_URL !== undefined;
}
