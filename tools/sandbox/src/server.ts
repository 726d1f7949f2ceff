import fastify, { type FastifyInstance } from 'fastify';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { CheckoutTokens } from '@tandem/auth';
import type { SandboxConfig } from './config';
import { installErrors } from './errors';
import { homePage } from './home.page';
import { InboxBook } from './inbox/inbox';
import { registerInbox } from './inbox/inbox-routes';
import { SigningSecrets } from './inbox/signing-secrets';
import { registerIssuer } from './issuer/issuer-routes';
import { Keyring } from './issuer/keyring';
import { registerSignIn } from './issuer/sign-in';
import { issueToken, type TokenRequest } from './issuer/token';
import { CheckoutLinks } from './store/checkout-link';
import { PaymentsWebhooks } from './store/payments-webhooks';
import { registerStore } from './store/store-routes';
import { SubscriptionBook } from './store/subscription-book';
import { FaultBook } from './vendor/faults';
import { UserAttempts } from './vendor/user-attempts';
import { UserBook } from './vendor/user-book';
import { registerVendorApi } from './vendor/vendor-api-routes';
import { registerVendorControl } from './vendor/vendor-control-routes';
import { registerVendorPage } from './vendor/vendor-page-routes';
import { SignedWebhooks } from './webhook/signed-webhooks';

/** A running sandbox. */
export interface RunningSandbox {
  url: string;
  close(): Promise<void>;
}

/** Starts the inboxes, the store, the token issuers and the identity vendor on one port. */
export async function startSandbox(config: SandboxConfig): Promise<RunningSandbox> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const app = fastify({
    logger: { level: 'warn' },
    // Without this option, event streams and hanging requests would prevent `close` from ending.
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
  });
  installErrors(app);
  const inDataDir = (file: string): string => path.join(config.dataDir, file);

  // The name of an issuer contains the sandbox's URL. Without `config.url`, the URL is known only after `listen`, so each request reads it.
  const address = { url: config.url ?? '' };
  const keys = await Keyring.open(inDataDir('issuer-keys.json'));
  registerInbox(app, new InboxBook(), new SigningSecrets(inDataDir('signing-secrets.json')));
  registerIssuer(app, keys, () => address.url);
  registerSignIn(app, keys, { sandboxUrl: () => address.url, consoleUrl: config.consoleUrl });
  registerStoreOf(app, config);
  registerVendorOf(app, config, (token) => issueToken(keys, `${address.url}/issuer/service`, token, new Date()));
  registerHome(app, config.consoleUrl);

  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  address.url ||= `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  return { url: address.url, close: () => app.close() };
}

function registerStoreOf(app: FastifyInstance, config: SandboxConfig): void {
  const webhooks = new SignedWebhooks({
    url: config.webhookUrl,
    secret: config.webhookSecret,
    userAgent: 'tandem-sandbox-store/1.0',
    retryDelaysMs: config.webhookRetryDelaysMs,
  });
  app.addHook('onClose', async () => webhooks.close());
  registerStore(app, {
    webhooks: new PaymentsWebhooks(webhooks),
    book: new SubscriptionBook(path.join(config.dataDir, 'subscriptions.jsonl')),
    links: new CheckoutLinks(new CheckoutTokens(config.checkoutSigningKeys)),
  });
}

function registerVendorOf(
  app: FastifyInstance,
  { vendor, dataDir, webhookRetryDelaysMs }: SandboxConfig,
  issue: (token: TokenRequest) => Promise<string>,
): void {
  const webhooks = new SignedWebhooks({
    url: vendor.webhookUrl,
    secret: vendor.webhookSecret,
    userAgent: 'tandem-sandbox-vendor/1.0',
    retryDelaysMs: webhookRetryDelaysMs,
  });
  app.addHook('onClose', async () => webhooks.close());
  const users = new UserBook(path.join(dataDir, 'vendor-users.jsonl'));
  const faults = new FaultBook();
  const parts = { appKey: vendor.appKey, users, faults, webhooks };
  registerVendorApi(app, { access: vendor, ...parts });
  registerVendorControl(app, parts);
  registerVendorPage(app, parts, new UserAttempts(vendor.webhookUrl, issue, faults));
}

function registerHome(app: FastifyInstance, consoleUrl: string): void {
  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/', (_request, reply) => reply.type('text/html').send(homePage(consoleUrl)));
}
