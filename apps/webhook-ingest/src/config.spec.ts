import { TestServiceKeys } from '@tandem/testing';
import { randomBytes } from 'node:crypto';
import { newWebhookSecret } from '@tandem/auth';
import { ConfigError, loadConfig } from '@tandem/service-defaults';
import { WebhookIngestConfig } from './config';

const key = randomBytes(32).toString('base64');
const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DATABASE_URL: 'postgres://ingest:secret@127.0.0.1:5432/tandem',
  PAYMENTS_WEBHOOK_SECRETS: newWebhookSecret(),
  ARRAY_WEBHOOK_SECRETS: newWebhookSecret(),
  VENDOR_APP_KEY: 'app-key',
  SERVICE_PUBLIC_KEYS: new TestServiceKeys('operator').publicKeysOf(),
  FIELD_ENCRYPTION_KEYS: `k1:${key}`,
  EMAIL_HASH_KEY: key,
  COUPON_HASH_KEY: key,
  CHECKOUT_SIGNING_KEYS: `k1:${key}`,
  ...more,
});

describe('WebhookIngestConfig', () => {
  it('requires secrets and keys, but no other variable of this app', () => {
    const config = loadConfig(WebhookIngestConfig, env());
    expect(config).toMatchObject({
      WEBHOOK_TOLERANCE_SECONDS: 300,
      JWT_AUDIENCE: 'tandem',
      WEBHOOK_RETENTION_DAYS: 90,
      ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS: 604_800,
    });
    expect(config.INGEST_ALLOWED_IPS.isEmpty).toBe(true);
    expect([config.EMAIL_HASH_KEY, config.COUPON_HASH_KEY].map((hashKey) => hashKey.length)).toEqual([32, 32]);
  });

  it('keeps several secrets in their order', () => {
    const [one, two] = [newWebhookSecret(), newWebhookSecret()];
    expect(
      loadConfig(WebhookIngestConfig, env({ PAYMENTS_WEBHOOK_SECRETS: ` ${one} ,${two},` })).PAYMENTS_WEBHOOK_SECRETS,
    ).toEqual([one, two]);
  });

  it('accepts the public keys of callers that it does not know, but requires the keys of its own callers', () => {
    const keys = new TestServiceKeys('operator', 'app-of-tomorrow');
    const load = (callers?: string[]) =>
      loadConfig(WebhookIngestConfig, env({ SERVICE_PUBLIC_KEYS: keys.publicKeysOf(callers) }));
    expect(load().SERVICE_PUBLIC_KEYS?.callers).toContain('app-of-tomorrow');
    expect(() => load(['app-of-tomorrow'])).toThrow('SERVICE_PUBLIC_KEYS');
  });

  it.each<[string, string | undefined]>([
    ['PAYMENTS_WEBHOOK_SECRETS', undefined],
    ['PAYMENTS_WEBHOOK_SECRETS', ','],
    ['PAYMENTS_WEBHOOK_SECRETS', 'whsec_short'],
    ['ARRAY_WEBHOOK_SECRETS', undefined],
    ['ARRAY_WEBHOOK_SECRETS', 'whsec_short'],
    ['VENDOR_APP_KEY', undefined],
    ['VENDOR_APP_KEY', ''],
    ['SERVICE_PUBLIC_KEYS', undefined],
    ['FIELD_ENCRYPTION_KEYS', undefined],
    ['FIELD_ENCRYPTION_KEYS', 'k1:short'],
    ['EMAIL_HASH_KEY', undefined],
    ['EMAIL_HASH_KEY', 'c2hvcnQ='],
    ['EMAIL_HASH_KEY', 'no base64 no base64 no base64 no base64 no base64 no base64'],
    ['COUPON_HASH_KEY', undefined],
    ['COUPON_HASH_KEY', 'c2hvcnQ='],
    ['CHECKOUT_SIGNING_KEYS', undefined],
    ['CHECKOUT_SIGNING_KEYS', 'k1:c2hvcnQ='],
    ['INGEST_ALLOWED_IPS', 'example.com'],
    ['INGEST_TRUSTED_PROXIES', '10.0.0.0/40'],
    ['WEBHOOK_TOLERANCE_SECONDS', '0'],
    ['WEBHOOK_TOLERANCE_SECONDS', 'soon'],
    ['WEBHOOK_RETENTION_DAYS', '0'],
    ['ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS', '0'],
    ['WEBHOOK_CLEANUP_INTERVAL_MS', '9'],
    ['WEBHOOK_CLEANUP_INTERVAL_MS', '2592000000'], // 30 days; Node shortens a delay of 25 days or more to 1 ms
  ])('refuses %s when it is %j, with an error that names the variable but not the value', (name, value) => {
    const load = (): unknown => loadConfig(WebhookIngestConfig, env({ [name]: value }));
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(name);
    if (value && value.length > 3) expect(load).not.toThrow(value);
  });

  it('accepts an issuer and the URL of the issuer’s keys only together', () => {
    const both = {
      JWT_SERVICE_ISSUER: 'http://127.0.0.1:1/issuer',
      JWT_SERVICE_JWKS_URL: 'http://127.0.0.1:1/jwks.json',
    };
    expect(() => loadConfig(WebhookIngestConfig, env(both))).not.toThrow();
    expect(() => loadConfig(WebhookIngestConfig, env({ ...both, JWT_SERVICE_ISSUER: undefined }))).toThrow(
      'JWT_SERVICE_ISSUER',
    );
    expect(() => loadConfig(WebhookIngestConfig, env({ ...both, JWT_SERVICE_JWKS_URL: '' }))).toThrow(
      'JWT_SERVICE_JWKS_URL',
    );
  });
});
