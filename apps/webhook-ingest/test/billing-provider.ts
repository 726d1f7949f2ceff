import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';

/** Creates a valid body of a purchase, changed as given. */
export function purchase(changes: { data?: object; customer?: object; item?: object } & Record<string, unknown> = {}) {
  const { data, customer, item, ...envelope } = changes;
  return {
    id: `evt_${randomUUID()}`,
    type: 'subscription.purchased',
    timestamp: '2025-11-20T11:15:30.5+01:00',
    ...envelope,
    data: {
      subscriptionId: `sub_${randomUUID()}`,
      customer: { krn: 'krn:eu:tandem:user:u-1', email: 'Jane.Doe@example.com', ...customer },
      plan: 'pro',
      entitlements: ['idp.identity', 'idp.titles'],
      currency: 'EUR',
      amount: '99.90',
      paymentStatus: 'captured',
      firstPayment: true,
      items: [{ price: '49.95', quantity: 2, category: 'Identity protection', tier: 'pro', ...item }],
      attribution: { checkoutToken: 'token', promotionCode: 'CODE', data4: ' ref 42 ' },
      couponCode: 'ABCD-EFGH',
      ...data,
    },
  };
}

/** Creates a body of the given type. */
export function webhook(type: string, data: object, envelope: object = {}) {
  return { id: `evt_${randomUUID()}`, type, timestamp: '2025-11-20T10:00:00Z', data, ...envelope };
}

/** Returns the headers of a webhook that is signed with these secrets. */
export function signedHeaders(
  body: string | Buffer,
  secrets: string[],
  { id = `msg_${randomUUID()}`, timestamp = new Date() } = {},
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': webhookTimestampHeader(timestamp),
    'webhook-signature': signWebhook({ secrets, id, timestamp, body }),
  };
}

/** Issues tokens, and serves its public key from a real HTTP server. */
export class TokenIssuer {
  private key!: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  private jwk!: JWK;
  private readonly server: Server = createServer((_request, response) => {
    response.end(JSON.stringify({ keys: [this.jwk] }));
  });

  static async start(): Promise<TokenIssuer> {
    const issuer = new TokenIssuer();
    const pair = await generateKeyPair('ES256', { extractable: true });
    issuer.key = pair.privateKey;
    issuer.jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };
    await new Promise<void>((resolve) => issuer.server.listen(0, '127.0.0.1', resolve));
    return issuer;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  token(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, aud: 'tandem', sub: 'billing', exp: now + 300, scope: 'payments', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
      .sign(this.key);
  }
}
