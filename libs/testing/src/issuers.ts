import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The kinds of trusted issuers: of service access tokens, and of OpenID access tokens. */
export type IssuerFamily = 'service' | 'openid';

/** Claims that are added to the default claims of a token, or replace them; undefined removes a claim. */
export type TokenChange = Readonly<Record<string, unknown>> & {
  readonly family?: IssuerFamily;
  /** Whether the token states a fresh second factor. Default true. */
  readonly secondFactor?: boolean;
};

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwks: object;
}

/** Both trusted issuers, whose keys are published on a real server. */
export class TestIssuers {
  /** How many times a client has read published keys. */
  reads = 0;
  private server!: Server;
  private readonly keys = new Map<IssuerFamily, SigningKey>();
  private generation = 0;

  static async start(): Promise<TestIssuers> {
    const issuers = new TestIssuers();
    issuers.rotate('service');
    issuers.rotate('openid');
    issuers.server = createServer((request, response) => {
      issuers.reads += 1;
      const family = request.url?.includes('openid') ? 'openid' : 'service';
      response.setHeader('content-type', 'application/json').end(JSON.stringify(issuers.keys.get(family)?.jwks));
    }).listen(0, '127.0.0.1');
    await once(issuers.server, 'listening');
    return issuers;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Replaces a family's key: further tokens are signed with a new key, and the old key is no longer published. */
  rotate(family: IssuerFamily): void {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = `${family}-${++this.generation}`;
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }] };
    this.keys.set(family, { kid, privateKey, jwks });
  }

  /** The environment of an app that trusts these issuers: the variables of `WithJwtIssuers`. */
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

  /** Returns an access token of a user; with a fresh second factor by default. */
  async token(krn: string, { family = 'service', secondFactor = true, ...claims }: TokenChange = {}): Promise<string> {
    const { kid, privateKey } = this.keys.get(family) as SigningKey;
    const now = Math.floor(Date.now() / 1000);
    const factor = secondFactor ? { amr: ['pwd', 'mfa'], auth_time: now } : { amr: ['pwd'] };
    const all = { iss: `https://issuer.test/${family}`, aud: 'tandem', sub: krn, exp: now + 300, ...factor, ...claims };
    const signed = `${encode({ alg: 'ES256', kid })}.${encode(all)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
