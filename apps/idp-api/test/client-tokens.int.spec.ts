import type { TokenChange } from '@tandem/testing';
import { createHmac } from 'node:crypto';
import { createBody, Idp, newKrn, type TestUser } from './idp';

const now = () => Math.floor(Date.now() / 1000);
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('tokens of client apps', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start();
  });
  afterAll(() => idp.stop());

  const read = (user: TestUser | null) => idp.request('GET', '/me', user);
  const unauthorized = async (user: TestUser | null) => {
    const { status, body, headers } = await read(user);
    expect([status, body, headers.get('www-authenticate')]).toEqual([401, { error: 'unauthorized' }, 'Bearer']);
  };

  it('a request without a token gets 401, with a challenge [idp-auth.unauthorized]', () => unauthorized(null));

  it.each<[string, TokenChange]>([
    ['that is expired', { exp: now() - 61 }],
    ['that is not valid yet', { nbf: now() + 120 }],
    ['of another issuer', { iss: 'https://issuer.test/other' }],
    ['that names another issuer than the one that signed it', { iss: 'https://issuer.test/openid' }],
    ['for another audience', { aud: 'other' }],
    ['without a subject', { sub: undefined }],
    ['without an expiration time', { exp: undefined }],
  ])('a token %s gets 401 [idp-auth.claims]', async (_, claims) => unauthorized({ krn: newKrn(), claims }));

  it.each([
    'user-1',
    'krn:tandem:test:partner:u1',
    'krn:Tandem:test:user:u1',
    `krn:a:b:user:${'x'.repeat(65)}`,
    'krn:a:b:user:é',
  ])('a token with the subject %s, which is not the KRN of a user, gets 401 [idp-auth.krn]', async (krn) =>
    unauthorized({ krn }),
  );

  it('a token that is tampered with, unsigned, signed with a shared secret, or malformed gets 401 [idp-auth.signature]', async () => {
    const krn = newKrn();
    const [header, , signature] = (await idp.issuers.token(krn)).split('.') as [string, string, string];
    const claims = { iss: 'https://issuer.test/service', aud: 'tandem', sub: krn, exp: now() + 300 };
    const symmetric = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}`;
    const tokens = [
      `${header}.${base64(claims)}.${signature}`,
      `${base64({ alg: 'none' })}.${base64(claims)}.`,
      `${symmetric}.${createHmac('sha256', 'public key').update(symmetric).digest('base64url')}`,
      'not.a.token',
      'x',
    ];
    for (const token of tokens) await unauthorized({ krn, token });
  });

  it('tokens are accepted when the clocks differ by 30 s [idp-auth.skew]', async () => {
    for (const claims of [{ exp: now() - 30 }, { nbf: now() + 30 }]) {
      expect((await read({ krn: newKrn(), claims })).status).toBe(400);
    }
  });

  it('a token of the service issuer and a token of the OpenID issuer identify the same user [idp-auth.families]', async () => {
    const user = await idp.createUser();
    const [service, openid] = await Promise.all([read(user), read({ ...user, claims: { family: 'openid' } })]);
    expect([service.status, service.body]).toEqual([200, openid.body]);
  });

  it('tokens signed with a new key of the issuer are accepted immediately, without a restart [idp-auth.rotation]', async () => {
    const user = await idp.createUser();
    for (const family of ['openid', 'service', 'openid'] as const) {
      expect((await read({ ...user, claims: { family } })).status).toBe(200);
      await idp.issuers.rotate(family);
      expect((await read({ ...user, claims: { family } })).status).toBe(200);
    }
  });

  it('50 concurrent tokens with unknown key ids make the app request the issuers’ keys at most twice [idp-auth.rotation]', async () => {
    const { krn } = await idp.createUser();
    const token = await idp.issuers.token(krn);
    const before = idp.issuers.reads;
    const users = Array.from({ length: 50 }, (_, index) => ({
      krn,
      token: token.replace(/^[^.]+/, base64({ alg: 'ES256', kid: `unknown-${index}` })),
    }));
    const answers = await Promise.all(users.map((user) => read(user)));
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 401));
    expect(idp.issuers.reads - before).toBeLessThanOrEqual(2);
  });

  describe('a second factor', () => {
    const CALLS = [
      ['POST', ''],
      ['PATCH', '/me'],
      ['DELETE', '/me'],
      ['POST', '/me/enroll'],
      ['POST', '/me/token'],
      ['POST', '/me/migration'],
    ] as const;
    const CHALLENGE = 'Bearer error="insufficient_user_authentication", acr_values="mfa"';

    it.each(CALLS)(
      'is required for %s %s, and is checked before the body [idp-auth.second-factor, idp-auth.order]',
      async (method, path) => {
        const { status, body, headers } = await idp.request(
          method,
          path,
          { krn: newKrn(), claims: { secondFactor: false } },
          '{',
        );
        expect([status, body, headers.get('www-authenticate')]).toEqual([
          400,
          { BadRequest: { TwoFactorAuthRequired: {} } },
          CHALLENGE,
        ]);
      },
    );

    it('is not required for GET me [idp-auth.plain]', async () => {
      expect((await read({ krn: newKrn(), claims: { secondFactor: false } })).body).toEqual({
        BadRequest: { UserNotFound: {} },
      });
    });

    it.each<[string, TokenChange, boolean]>([
      ['acr mfa', { amr: undefined, acr: 'mfa' }, true],
      ['amr with mfa, 59 minutes ago', { auth_time: now() - 59 * 60 }, true],
      ['mfa, 61 minutes ago', { auth_time: now() - 61 * 60 }, false],
      ['mfa in the future', { auth_time: now() + 120 }, false],
      ['mfa without auth_time', { auth_time: undefined }, false],
      ['an auth_time that is a string', { auth_time: String(now()) }, false],
      ['amr that is a string', { amr: 'mfa' as never }, false],
      ['another acr', { amr: ['pwd'], acr: 'gold' }, false],
    ])('with %s (%j) counts: %s [idp-auth.second-factor-claims]', async (_, claims, counts) => {
      const { body } = await idp.request('DELETE', '/me', { krn: newKrn(), claims });
      expect(body).toEqual({ BadRequest: { [counts ? 'UserNotFound' : 'TwoFactorAuthRequired']: {} } });
    });
  });

  describe('limits', () => {
    it('allow a user 60 requests a minute, and refuse further requests with a Retry-After [idp-limits.default]', async () => {
      const user = { krn: newKrn() };
      const answers = await Promise.all(Array.from({ length: 61 }, () => read(user)));
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.map(({ body }) => body)).toEqual([{ error: 'rate limited' }]);
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await read({ krn: newKrn() })).status).toBe(400);
    });

    it.each([
      ['', createBody()],
      ['/me/enroll', undefined],
      ['/me/token', undefined],
    ])('allow a user 10 requests a minute to POST %s [idp-limits.onboarding]', async (path, body) => {
      const user = { krn: newKrn() };
      const answers = await Promise.all(Array.from({ length: 11 }, () => idp.request('POST', path, user, body)));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    });
  });

  it('an unknown path gets 404, and an unsupported method gets 405 with Allow, both with a body {"error"} [idp-errors.not-found, idp-errors.method]', async () => {
    const user = { krn: newKrn() };
    const unknown = await idp.request('GET', '/me/nothing', user);
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([404, ['error']]);
    const wrong = await idp.request('PUT', '/me', user, {});
    expect([wrong.status, Object.keys(wrong.body), wrong.headers.get('allow')]).toEqual([
      405,
      ['error'],
      'GET, HEAD, PATCH, DELETE',
    ]);
  });
});
