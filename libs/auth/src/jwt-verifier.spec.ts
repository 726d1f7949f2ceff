import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { InvalidTokenError, JwksUnavailableError } from './auth.errors';
import { JwtVerifier, type JwtVerifierOptions } from './jwt-verifier';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/**
 * An issuer of tokens, which publishes its keys on a real HTTP server. A test can add keys. With `mode`, it can make reads of the keys fail
 * with an error, hang, or return a text that is not JSON.
 */
class Issuer {
  reads = 0;
  mode: 'fine' | 'error' | 'hang' | 'nonsense' = 'fine';
  private readonly published: JWK[] = [];
  private readonly keys = new Map<string, KeyPair>();
  private readonly server: Server = createServer((_request, response) => {
    this.reads += 1;
    if (this.mode === 'hang') return;
    response.statusCode = this.mode === 'error' ? 503 : 200;
    response.end(this.mode === 'nonsense' ? '<html>' : JSON.stringify({ keys: this.published }));
  });

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Ends reads that hang. */
  hangUp(): void {
    this.server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async addKey(kid: string, alg = 'ES256'): Promise<void> {
    const pair = await generateKeyPair(alg);
    this.keys.set(kid, pair);
    this.published.push({ ...(await exportJWK(pair.publicKey)), kid, alg });
  }

  async token(kid: string, claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: this.url, aud: 'tandem', sub: 'billing', exp: now + 300, ...claims };
    const key = this.keys.get(kid)?.privateKey;
    if (!key) throw new Error(`There is no key ${kid}`);
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(key);
  }
}

let service: Issuer;
let openid: Issuer;

beforeEach(async () => {
  service = await new Issuer().listen();
  openid = await new Issuer().listen();
  await service.addKey('s1');
  await openid.addKey('o1');
});
afterEach(() => Promise.all([service.close(), openid.close()]));

const verifier = (options: Partial<JwtVerifierOptions> = {}): JwtVerifier =>
  new JwtVerifier({
    issuers: [
      { family: 'service', issuer: service.url, jwksUrl: `${service.url}/jwks.json` },
      { family: 'openid', issuer: openid.url, jwksUrl: `${openid.url}/jwks.json` },
    ],
    audience: 'tandem',
    jwksCooldownMs: 0,
    jwksTimeoutMs: 300,
    ...options,
  });

const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

describe('JwtVerifier', () => {
  it('returns the family, subject, scopes and claims of a token', async () => {
    const token = await service.token('s1', { scope: 'payments  webhook', amr: ['mfa'] });
    const verified = await verifier().verify(token);
    expect(verified).toMatchObject({ family: 'service', subject: 'billing', claims: { amr: ['mfa'] } });
    expect([...verified.scopes]).toEqual(['payments', 'webhook']);
    expect((await verifier().verify(await openid.token('o1'))).family).toBe('openid');
  });

  it('returns no scopes for a token without the claim `scope`, and accepts a claim that is a list', async () => {
    expect((await verifier().verify(await service.token('s1'))).scopes.size).toBe(0);
    const listed = await verifier().verify(await service.token('s1', { scope: ['payments', 5] }));
    expect([...listed.scopes]).toEqual(['payments']);
  });

  it('accepts a token that expired 50 s ago, and one that becomes valid in 50 s, because clocks may differ by 60 s', async () => {
    await expect(verifier().verify(await service.token('s1', { exp: seconds(-50) }))).resolves.toBeDefined();
    await expect(verifier().verify(await service.token('s1', { nbf: seconds(50) }))).resolves.toBeDefined();
  });

  it.each<[string, JWTPayload, Partial<JWTHeaderParameters>]>([
    ['that has expired', { exp: seconds(-70) }, {}],
    ['that is not valid yet', { nbf: seconds(70) }, {}],
    ['without expiry', { exp: undefined }, {}],
    ['for another audience', { aud: 'other' }, {}],
    ['without audience', { aud: undefined }, {}],
    ['without subject', { sub: undefined }, {}],
    ['with an empty subject', { sub: '' }, {}],
    ['of an issuer that is not trusted', { iss: 'https://evil.example' }, {}],
    ['without issuer', { iss: undefined }, {}],
    ['that is a subscription receipt', {}, { typ: 'srt+jwt' }],
    ['that is a subscription receipt whose type is in capitals', {}, { typ: 'application/SRT+JWT' }],
    ['of another type', {}, { typ: 'dpop+jwt' }],
    ['with a key that is not published', {}, { kid: 'unknown' }],
  ])('refuses a token %s', async (_name, claims, header) => {
    const token = await service.token('s1', claims, header);
    await expect(verifier().verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it.each(['srt+jwt', 'application/SRT+JWT'])('accepts a token of type %s only as a receipt', async (typ) => {
    const token = await service.token('s1', { subscription_id: 'sub_1' }, { typ });
    const { claims } = await verifier().verifyReceipt(token);
    expect(claims['subscription_id']).toBe('sub_1');
    await expect(verifier().verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it.each([undefined, 'JWT', 'at+jwt', 'dpop+jwt'])('refuses a token of type %s as a receipt', async (typ) => {
    const token = await service.token('s1', {}, { typ });
    await expect(verifier().verifyReceipt(token)).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it.each(['JWT', 'at+jwt', 'application/at+jwt'])('accepts a token of type %s', async (typ) => {
    await expect(verifier().verify(await service.token('s1', {}, { typ }))).resolves.toBeDefined();
  });

  it('refuses a token that names one trusted issuer and is signed by the other trusted issuer', async () => {
    const token = await openid.token('o1', { iss: service.url }, { kid: 's1' });
    await expect(verifier().verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('refuses a token with a changed payload, with alg none, or with alg HS256', async () => {
    const [header, , signature] = (await service.token('s1')).split('.');
    const claims = { iss: service.url, aud: 'tandem', sub: 'admin', exp: seconds(300) };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 's1' }).sign(Buffer.alloc(32));
    for (const token of [`${header}.${payload}.${signature}`, `${none}.${payload}.`, symmetric]) {
      await expect(verifier().verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
    }
  });

  it.each(['', 'abc', 'a.b.c', '...', `${'x'.repeat(5000)}.y.z`])('refuses %j without reading keys', async (token) => {
    await expect(verifier().verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
    expect(service.reads + openid.reads).toBe(0);
  });

  it('reads the keys once for many tokens', async () => {
    const one = verifier();
    const token = await service.token('s1');
    await Promise.all(Array.from({ length: 20 }, () => one.verify(token)));
    await one.verify(token);
    expect(service.reads).toBe(1);
  });

  it('reads the keys again when they are old, even if the clock was set back meanwhile', async () => {
    const one = verifier({ jwksCacheMs: 100 });
    const token = await service.token('s1');
    await one.verify(token);
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await delay(150);
    await one.verify(token);
    clock.mockRestore();
    expect(service.reads).toBe(2);
  });

  it('accepts a new key without a restart, and still accepts the old one', async () => {
    const one = verifier();
    await one.verify(await service.token('s1'));
    await service.addKey('s2');
    await expect(one.verify(await service.token('s2'))).resolves.toMatchObject({ subject: 'billing' });
    await expect(one.verify(await service.token('s1'))).resolves.toMatchObject({ subject: 'billing' });
    expect(service.reads).toBe(2);
  });

  it('accepts, after the cooldown, a key that was published during the cooldown', async () => {
    const one = verifier({ jwksCooldownMs: 300 });
    await one.verify(await service.token('s1'));
    await service.addKey('s2');
    await expect(one.verify(await service.token('s2'))).resolves.toMatchObject({ subject: 'billing' });
    expect(service.reads).toBe(2);
  });

  it('reads the keys only once for all tokens with unknown keys that arrive during a cooldown', async () => {
    const one = verifier({ jwksCooldownMs: 300 });
    await one.verify(await service.token('s1'));
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, index) => service.token('s1', {}, { kid: `unknown-${index}` })),
    );
    const outcomes = await Promise.allSettled(tokens.map((token) => one.verify(token)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(InvalidTokenError) });
    }
    expect(service.reads).toBe(2);
  });

  it('lets at most 64 tokens with unknown keys wait, and never delays a token with a known key', async () => {
    const one = verifier({ jwksTimeoutMs: 20_000 });
    const known = await service.token('s1');
    await one.verify(known);
    service.mode = 'hang';
    const unknown = await service.token('s1', {}, { kid: 'unknown' });
    const attempts = Array.from({ length: 450 }, () => one.verify(unknown).catch((error: unknown) => error));
    for (const refused of await Promise.all(attempts.slice(64))) expect(refused).toBeInstanceOf(JwksUnavailableError);
    await expect(one.verify(known)).resolves.toMatchObject({ subject: 'billing' });
    service.mode = 'error';
    service.hangUp();
    for (const failed of await Promise.all(attempts)) expect(failed).toBeInstanceOf(JwksUnavailableError);
    service.mode = 'fine';
    await expect(one.verify(unknown)).rejects.toBeInstanceOf(InvalidTokenError);
  });

  it('refuses a token of an unknown key within 2 s, even if further such tokens keep arriving', async () => {
    const one = verifier({ jwksCooldownMs: 100 });
    await one.verify(await service.token('s1'));
    const unknown = await service.token('s1', {}, { kid: 'unknown' });
    const refused = one.verify(unknown).catch(() => 'refused');
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        void one.verify(unknown).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const later = new Promise((resolve) => setTimeout(() => resolve('still waiting'), 2_000));
    expect(await Promise.race([refused, later])).toBe('refused');
    isOver = true;
    await others;
  });

  it('reads the keys once in a cooldown of a minute, and refuses tokens with unknown keys immediately', async () => {
    const one = verifier({ jwksCooldownMs: 60_000 });
    const token = await service.token('s1', {}, { kid: 'unknown' });
    for (let count = 0; count < 5; count += 1) {
      await expect(one.verify(token)).rejects.toBeInstanceOf(InvalidTokenError);
    }
    expect(service.reads).toBe(1);
  });
});

describe('JwtVerifier while the keys cannot be read', () => {
  it.each(['error', 'hang', 'nonsense'] as const)(
    'throws JwksUnavailableError when a read of the issuer’s keys has the fault: %s',
    async (mode) => {
      service.mode = mode;
      const failure = await verifier()
        .verify(await service.token('s1'))
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(JwksUnavailableError);
      expect(failure).toMatchObject({ code: 'service_unavailable', issuer: service.url });
    },
  );

  it('throws only for tokens of the issuer whose keys cannot be read, until these keys can be read again', async () => {
    const one = verifier();
    const token = await service.token('s1');
    service.mode = 'error';
    await expect(one.verify(token)).rejects.toBeInstanceOf(JwksUnavailableError);
    await expect(one.verify(await openid.token('o1'))).resolves.toMatchObject({ family: 'openid' });
    service.mode = 'fine';
    await expect(one.verify(token)).resolves.toMatchObject({ family: 'service' });
  });

  it('throws JwksUnavailableError when the issuer refuses connections', async () => {
    const token = await service.token('s1');
    const one = verifier();
    await service.close();
    await expect(one.verify(token)).rejects.toBeInstanceOf(JwksUnavailableError);
    service = await new Issuer().listen();
  });

  it('still verifies tokens with the keys that it has read before', async () => {
    const one = verifier();
    const token = await service.token('s1');
    await one.verify(token);
    service.mode = 'error';
    await expect(one.verify(token)).resolves.toMatchObject({ family: 'service' });
  });

  it('contacts an unavailable issuer only once per cooldown', async () => {
    const one = verifier({ jwksCooldownMs: 60_000 });
    service.mode = 'hang';
    const token = await service.token('s1');
    for (let count = 0; count < 5; count += 1) {
      await expect(one.verify(token)).rejects.toBeInstanceOf(JwksUnavailableError);
    }
    expect(service.reads).toBe(1);
  });

  it('refuses a token of a wrong type without reading keys', async () => {
    service.mode = 'error';
    await expect(verifier().verify(await service.token('s1', {}, { typ: 'srt+jwt' }))).rejects.toBeInstanceOf(
      InvalidTokenError,
    );
    expect(service.reads).toBe(0);
  });
});

it('a JwtVerifier refuses a configuration in which one issuer has two families', () => {
  const trusted = { issuer: 'https://a.example', jwksUrl: 'https://a.example/jwks.json' };
  const issuers = [
    { family: 'service' as const, ...trusted },
    { family: 'openid' as const, ...trusted },
  ];
  expect(() => new JwtVerifier({ issuers, audience: 'tandem' })).toThrow('configured twice');
});
