import { APPS, OPERATOR, variableOf } from '../../apps/apps.js';
import { inHome } from './paths.mjs';
import { encryptionKeysOf, publicKeyOf } from './secrets.mjs';

const at = (port) => `http://127.0.0.1:${port}`;

const DATABASE = '/tandem';

/** Returns the URL of the platform's database, with the superuser's credentials. */
export function platformUrl(superuserUrl) {
  const url = new URL(superuserUrl);
  url.pathname = DATABASE;
  return url.toString();
}

/** Returns the URL of the platform's database for a role. */
export function databaseUrl(superuserUrl, role, password) {
  const url = new URL(superuserUrl);
  url.pathname = DATABASE;
  url.username = role;
  url.password = encodeURIComponent(password);
  return url.toString();
}

/**
 * Returns the environments of the apps, the migration, the sandbox and the edge. Ports, addresses of apps, database URLs and service keys
 * are fixed. The values that are passed to `withDefaults` are only defaults: variables of this process take precedence.
 *
 * @param {{ bus: 'kafka' | 'postgres', ports: Record<string, number>, secrets: Record<string, any>, superuserUrl: string, kafkaBrokers?: string }} stack `ports`
 *   has the port of Kafka if the stack runs the broker itself
 */
export function environmentOf({ bus, ports, secrets, superuserUrl, kafkaBrokers }) {
  const sandboxUrl = at(ports.sandbox);
  const baseUrl = at(ports.edge);
  const addresses = Object.fromEntries(
    APPS.filter(({ name }) => name in ports).map(({ name }) => [variableOf(name, 'URL'), at(ports[name])]),
  );
  const webhookSecrets = withDefaults({
    PAYMENTS_WEBHOOK_SECRETS: `${secrets.paymentsWebhookSecret},${secrets.paymentsWebhookPreviousSecret}`,
    ARRAY_WEBHOOK_SECRETS: `${secrets.arrayWebhookSecret},${secrets.arrayWebhookPreviousSecret}`,
  });
  const [webhookSecret, previousWebhookSecret] = webhookSecrets.PAYMENTS_WEBHOOK_SECRETS.split(',');
  const [arrayWebhookSecret, previousArrayWebhookSecret] = webhookSecrets.ARRAY_WEBHOOK_SECRETS.split(',');
  const vendorAccess = withDefaults({
    VENDOR_APP_KEY: secrets.vendorAppKey,
    VENDOR_SERVER_TOKEN: secrets.vendorServerToken,
  });

  const shared = withDefaults({
    NODE_ENV: 'development',
    EMAIL_HASH_KEY: secrets.emailHashKey,
    COUPON_HASH_KEY: secrets.couponHashKey,
    PROFILE_HASH_KEY: secrets.profileHashKey,
    JWT_SERVICE_ISSUER: `${sandboxUrl}/issuer/service`,
    JWT_SERVICE_JWKS_URL: `${sandboxUrl}/issuer/service/jwks.json`,
    JWT_OPENID_ISSUER: `${sandboxUrl}/issuer/openid`,
    JWT_OPENID_JWKS_URL: `${sandboxUrl}/issuer/openid/jwks.json`,
    JWT_AUDIENCE: 'tandem',
    VENDOR_URL: `${sandboxUrl}/vendor/api`,
    CHECKOUT_BASE_URL: `${sandboxUrl}/store/checkout`,
    CONSOLE_URL: `${baseUrl}/console`,
    CHECKOUT_SIGNING_KEYS: secrets.checkoutSigningKeys,
    CURSOR_SIGNING_KEYS: secrets.cursorSigningKeys,
    // Allows postbacks to the sandbox's inbox, which is on the loopback interface and uses plain HTTP.
    POSTBACK_ALLOW_LOOPBACK: 'true',
    POSTBACK_REQUIRE_HTTPS: 'false',
    // Lets users request sample alerts and scans, as the overlay k8s/overlays/staging does.
    MOCK_ENABLED: 'true',
    INGEST_TRUSTED_PROXIES: '127.0.0.1',
    PARTNER_TRUSTED_PROXIES: '127.0.0.1',
    PARTNER_APPLICATIONS_ENABLED: 'true',
    SHUTDOWN_TIMEOUT_MS: '10000',
    // The stack's own broker allows such a short session timeout (tools/kafka/server.properties).
    ...(ports.kafka !== undefined && { KAFKA_SESSION_TIMEOUT_MS: '3500' }),
  });
  const wiring = {
    HOST: '127.0.0.1',
    EVENT_BUS: bus,
    KAFKA_BROKERS: kafkaBrokers ?? '',
    ...webhookSecrets,
    ...vendorAccess,
    ...addresses,
  };
  const appEnvironment = (app) => {
    const { name, role, encryptsFields } = app;
    const url = databaseUrl(superuserUrl, role, secrets.rolePasswords[role]);
    return {
      ...shared,
      ...wiring,
      ...serviceKeysOf(app, secrets.serviceKeys),
      ...(encryptsFields && withDefaults({ FIELD_ENCRYPTION_KEYS: secrets[encryptionKeysOf(app)] })),
      PORT: String(ports[name]),
      DATABASE_URL: url,
      BUS_DATABASE_URL: url,
    };
  };
  return {
    baseUrl,
    sandboxUrl,
    webhookSecret,
    previousWebhookSecret,
    arrayWebhookSecret,
    previousArrayWebhookSecret,
    vendorAppKey: vendorAccess.VENDOR_APP_KEY,
    operatorPrivateKey: secrets.serviceKeys[OPERATOR],
    apps: Object.fromEntries(APPS.map((app) => [app.name, appEnvironment(app)])),
    migrate: {
      SUPERUSER_URL: platformUrl(superuserUrl),
      ROLE_PASSWORDS: JSON.stringify(secrets.rolePasswords),
      EVENT_BUS: bus,
      KAFKA_BROKERS: kafkaBrokers ?? '',
    },
    sandbox: {
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: String(ports.sandbox),
      SANDBOX_URL: sandboxUrl,
      SANDBOX_DATA_DIR: inHome('sandbox'),
      CONSOLE_URL: shared.CONSOLE_URL,
      PAYMENTS_WEBHOOK_URL: `${baseUrl}/idp/payments/webhook`,
      PAYMENTS_WEBHOOK_SECRET: webhookSecret,
      CHECKOUT_SIGNING_KEYS: shared.CHECKOUT_SIGNING_KEYS,
      ARRAY_WEBHOOK_URL: `${baseUrl}/idp/array/webhook`,
      ARRAY_WEBHOOK_SECRET: arrayWebhookSecret,
      ...vendorAccess,
    },
    edge: {
      EDGE_HOST: '127.0.0.1',
      EDGE_PORT: String(ports.edge),
      ...withDefaults({ CONSOLE_OIDC_ISSUER: shared.JWT_SERVICE_ISSUER }),
      ...addresses,
    },
  };
}

/** Returns an app's private key, if the app calls other apps, and the public keys of the callers in its row. */
function serviceKeysOf({ name, callers }, serviceKeys) {
  const publicKeys = Object.keys(callers ?? {}).map((caller) => `${caller}:${publicKeyOf(serviceKeys[caller])}`);
  return {
    ...(name in serviceKeys && { SERVICE_PRIVATE_KEY: serviceKeys[name] }),
    ...(publicKeys.length > 0 && { SERVICE_PUBLIC_KEYS: publicKeys.join() }),
  };
}

/** Applies defaults. Variables of this process take precedence. */
const withDefaults = (defaults) =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, process.env[name] || value]));
