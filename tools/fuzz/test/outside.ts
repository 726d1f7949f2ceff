import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

const ISSUER = 'https://issuer.example.com';

/** The outside world: an issuer of tokens, and an endpoint that takes every postback. */
export class Outside {
  private constructor(
    private readonly server: Server,
    private readonly key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'],
  ) {}

  readonly issuer = ISSUER;

  static async start(): Promise<Outside> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
    const server = createServer((request, response) => {
      request.resume();
      response.end(request.url === '/jwks.json' ? JSON.stringify({ keys: [jwk] }) : '');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Outside(server, privateKey);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A service token with a scope. */
  token(scope: string): Promise<string> {
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(ISSUER)
      .setSubject('fuzz')
      .setAudience('tandem')
      .setExpirationTime('2h')
      .sign(this.key);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}
