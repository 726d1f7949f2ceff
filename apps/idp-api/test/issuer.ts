import type { TokenFamily } from '@tandem/auth';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** Claims beside those that every token has, which they replace. */
export type TokenChange = JWTPayload & { family?: TokenFamily; secondFactor?: boolean };

/** Both trusted issuers, with their published keys on a real server. */
export class TestIssuers {
  /** How often keys were read. */
  reads = 0;
  private server!: Server;
  private readonly keys = new Map<TokenFamily, { kid: string; key: Key; jwks: object }>();
  private generation = 0;

  static async start(): Promise<TestIssuers> {
    const issuers = new TestIssuers();
    await issuers.rotate('service');
    await issuers.rotate('openid');
    issuers.server = createServer((request, response) => {
      issuers.reads += 1;
      const family = request.url?.includes('openid') ? 'openid' : 'service';
      response.setHeader('content-type', 'application/json').end(JSON.stringify(issuers.keys.get(family)?.jwks));
    });
    await new Promise<void>((resolve) => issuers.server.listen(0, '127.0.0.1', resolve));
    return issuers;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** From now on tokens of a family are signed by a new key, and the old one is not published any more. */
  async rotate(family: TokenFamily): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const kid = `${family}-${++this.generation}`;
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }] };
    this.keys.set(family, { kid, key: privateKey, jwks });
  }

  get environment(): NodeJS.ProcessEnv {
    const base = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return {
      JWT_SERVICE_ISSUER: 'https://issuer.test/service',
      JWT_SERVICE_JWKS_URL: `${base}/service/jwks.json`,
      JWT_OPENID_ISSUER: 'https://issuer.test/openid',
      JWT_OPENID_JWKS_URL: `${base}/openid/jwks.json`,
      JWT_AUDIENCE: 'tandem',
    };
  }

  /** An access token of a user; with a fresh second factor unless told otherwise. */
  async token(krn: string, { family = 'service', secondFactor = true, ...claims }: TokenChange = {}): Promise<string> {
    const { kid, key } = this.keys.get(family) as { kid: string; key: Key };
    const now = Math.floor(Date.now() / 1000);
    const factor = secondFactor ? { amr: ['pwd', 'mfa'], auth_time: now } : { amr: ['pwd'] };
    const all = { iss: `https://issuer.test/${family}`, aud: 'tandem', sub: krn, exp: now + 300, ...factor, ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
  }
}
