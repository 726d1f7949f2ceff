import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { openSandbox, type OpenSandbox } from './sandbox';

const KRN = 'krn:tandem:eu:user:alice';

describe('the token issuer', () => {
  let sandbox: OpenSandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));
  afterAll(async () => {
    await sandbox.close();
    sandbox.remove();
  });

  const issue = async (request: object): Promise<string> => {
    const { status, body } = await sandbox.call('POST', '/issuer/token', { family: 'service', sub: KRN, ...request });
    expect(status).toBe(201);
    return (body as { token: string }).token;
  };
  const verify = (token: string, family = 'service', url = sandbox.url) =>
    jwtVerify(token, createRemoteJWKSet(new URL(`${url}/issuer/${family}/jwks.json`)), {
      issuer: `${url}/issuer/${family}`,
      audience: 'tandem',
    });

  it.each(['service', 'openid'])('signs tokens of the %s family that its published keys verify', async (family) => {
    const { payload } = await verify(await issue({ family, scope: 'partner:manage payments' }), family);
    expect(payload).toMatchObject({ sub: KRN, scope: 'partner:manage payments' });
    expect((payload.exp ?? 0) - Math.floor(Date.now() / 1000)).toBeGreaterThan(3590);
  });

  it('signs the tokens of each family with separate keys', async () => {
    await expect(verify(await issue({ family: 'openid' }), 'service')).rejects.toThrow();
  });

  it('sets auth_time to now when amr contains mfa, or to the authTime of the request', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await verify(await issue({ amr: ['pwd'] }))).payload.auth_time).toBeUndefined();
    expect((await verify(await issue({ amr: ['pwd', 'mfa'] }))).payload.auth_time).toBeGreaterThanOrEqual(now);
    expect((await verify(await issue({ acr: 'mfa', authTime: 12345 }))).payload).toMatchObject({
      acr: 'mfa',
      auth_time: 12345,
    });
  });

  it('issues tokens with a wrong audience, a wrong issuer or a past expiry on request', async () => {
    await expect(verify(await issue({ aud: 'somebody-else' }))).rejects.toThrow(/aud/);
    await expect(verify(await issue({ iss: 'https://evil.example' }))).rejects.toThrow(/iss/);
    await expect(verify(await issue({ expiresIn: -120 }))).rejects.toThrow(/exp/);
  });

  it('issues a subscription receipt token when entitlements are given', async () => {
    const token = await issue({ entitlements: ['idp.identity'], subscriptionId: 'sub_1' });
    expect(decodeProtectedHeader(token).typ).toBe('srt+jwt');
    expect((await verify(token)).payload).toMatchObject({
      sub: KRN,
      subscription_id: 'sub_1',
      entitlements: ['idp.identity'],
    });
  });

  it('signs with a new key after a rotation, while older tokens stay valid', async () => {
    const before = await issue({});
    const { status, body } = await sandbox.call('POST', '/issuer/service/rotate');
    expect(status).toBe(201);
    const after = await issue({});
    expect(decodeProtectedHeader(after).kid).toBe((body as { kid: string }).kid);
    expect(decodeProtectedHeader(before).kid).not.toBe(decodeProtectedHeader(after).kid);
    await expect(verify(before)).resolves.toBeDefined();
    await expect(verify(after)).resolves.toBeDefined();
  });

  it('publishes no private part of a key', async () => {
    for (const family of ['service', 'openid']) {
      const { body } = await sandbox.call('GET', `/issuer/${family}/jwks.json`);
      for (const key of (body as { keys: object[] }).keys) {
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(secret);
      }
    }
  });

  it('keeps its keys after a restart', async () => {
    const first = await openSandbox();
    const token = (await first.call('POST', '/issuer/token', { family: 'service', sub: KRN })).body as {
      token: string;
    };
    await first.close();
    const second = await openSandbox({ dataDir: first.dataDir });
    const { body } = await second.call('GET', '/issuer/service/jwks.json');
    await second.close();
    second.remove();
    const kids = (body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    expect(kids).toEqual([decodeProtectedHeader(token.token).kid]);
  });

  it.each([
    ['an unknown family', { family: 'other' }, 'family'],
    ['no subject', { sub: undefined }, 'sub'],
    ['a fraction of a second', { expiresIn: 1.5 }, 'expiresIn'],
    ['an unknown field', { audience: 'x' }, 'audience'],
  ])('refuses %s', async (_name, change, field) => {
    const answer = await sandbox.call('POST', '/issuer/token', { family: 'service', sub: KRN, ...change });
    expect(answer).toMatchObject({ status: 400, body: { fields: [{ field }] } });
  });
});
