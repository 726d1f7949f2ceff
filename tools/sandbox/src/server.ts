import fastify, { type FastifyInstance } from 'fastify';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { CheckoutTokens } from '@tandem/auth';
import type { SandboxConfig } from './config';
import { installErrors } from './errors';
import { page } from './html';
import { InboxBook } from './inbox/inbox';
import { registerInbox } from './inbox/inbox.routes';
import { SigningSecrets } from './inbox/signing-secrets';
import { registerIssuer } from './issuer/issuer.routes';
import { Keyring } from './issuer/keyring';
import { CheckoutLinks } from './store/checkout-link';
import { PaymentsWebhooks } from './store/payments-webhooks';
import { registerStore } from './store/store.routes';
import { SubscriptionBook } from './store/subscription-book';

/** A sandbox that serves. */
export interface RunningSandbox {
  url: string;
  close(): Promise<void>;
}

/** Starts the partner's inbox, the store and the token issuer on one port. */
export async function startSandbox(config: SandboxConfig): Promise<RunningSandbox> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const app = fastify({
    logger: { level: 'warn' },
    // Event streams and hanging requests would keep the process from ending.
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
  });
  installErrors(app);
  const inDataDir = (file: string): string => path.join(config.dataDir, file);

  // An issuer's name holds its address, which is known only after the port is: the routes ask for it when they need it.
  const address = { url: config.url ?? '' };
  const keys = await Keyring.open(inDataDir('issuer-keys.json'));
  const webhooks = new PaymentsWebhooks(config.webhookUrl, config.webhookSecret, config.webhookRetryDelaysMs);
  app.addHook('onClose', async () => webhooks.close());
  registerInbox(app, new InboxBook(), new SigningSecrets(inDataDir('signing-secrets.json')));
  registerIssuer(app, keys, () => address.url);
  registerStore(app, {
    webhooks,
    book: new SubscriptionBook(inDataDir('subscriptions.jsonl')),
    links: new CheckoutLinks(new CheckoutTokens(config.checkoutSigningKeys)),
  });
  registerHome(app);

  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  address.url ||= `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  return { url: address.url, close: () => app.close() };
}

function registerHome(app: FastifyInstance): void {
  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/', (_request, reply) =>
    reply.type('text/html').send(
      page(
        'Sandbox',
        `<h1>Sandbox</h1><p class="muted">It plays the outside world for development and tests.</p>
        <div class="card"><p><a href="/store/checkout">The store</a>: buy a plan, and a signed payments webhook is sent.</p>
        <p><a href="/inboxes">The inboxes</a>: partners' endpoints that show postbacks as they arrive.</p>
        <p><a href="/issuer/service/jwks.json">The issuer</a>: tokens of two families, with their public keys.</p></div>`,
      ),
    ),
  );
}
