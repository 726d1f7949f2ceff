import { newKrn, receiptToken, Support, supportToken, type TokenChange } from './support';

const OPERATIONS = [
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['POST', '/enroll'],
  ['POST', '/enrollment-sync'],
  ['GET', '/audit'],
  ['GET', '/erasures'],
] as const;

const now = (): number => Math.floor(Date.now() / 1000);

describe('access to the API of support', () => {
  let support: Support;
  beforeAll(async () => {
    support = await Support.start();
    support.knowUsers();
  });
  afterAll(() => support.stop());

  it.each(OPERATIONS)(
    '%s %s without a token gets 401 and a challenge [support-auth.unauthorized]',
    async (method, path) => {
      const krn = newKrn();
      const { status, body, headers } = await support.act(method, krn, path, { token: null });
      expect([status, body, headers.get('www-authenticate')]).toEqual([401, { error: 'unauthorized' }, 'Bearer']);
      expect(await support.trail(krn)).toEqual([]);
    },
  );

  it.each<[string, TokenChange]>([
    ['of another issuer', { iss: 'https://issuer.test/openid' }],
    ['that is forged', { forged: true }],
    ['that is expired', { exp: now() - 120 }],
    ['for another audience', { aud: 'other' }],
    ['without a subject', { sub: undefined }],
    ['that is a receipt', { typ: 'srt+jwt' }],
  ])('a token %s gets 401 [support-auth.unauthorized]', async (_, change) => {
    const { status, body } = await support.act('GET', newKrn(), '', { token: supportToken(change) });
    expect([status, body]).toEqual([401, { error: 'unauthorized' }]);
  });

  it('a receipt of the user is not accepted as a token of support [support-auth.unauthorized]', async () => {
    const krn = newKrn();
    expect((await support.act('GET', krn, '', { token: receiptToken(krn, { scope: 'support' }) })).status).toBe(401);
  });

  it.each(OPERATIONS)('%s %s gets 403 without the scope support [support-auth.scope]', async (method, path) => {
    const krn = newKrn();
    for (const scope of ['', 'payments', 'supporter', 'partner:manage webhook']) {
      const { status, body } = await support.act(method, krn, path, { token: supportToken({ scope }) });
      expect([status, body]).toEqual([403, { error: expect.any(String) }]);
    }
    expect([await support.trail(krn), support.asked(krn)]).toEqual([[], []]);
  });

  it('a token may have other scopes in addition to support', async () => {
    const token = supportToken({ scope: 'payments support' });
    expect((await support.act('GET', newKrn(), '', { token })).status).toBe(200);
  });

  it('is checked before the body is read [support-auth.order]', async () => {
    const body = '{"ssn":'.padEnd(70_000, 'x');
    expect((await support.act('PATCH', newKrn(), '', { token: null, body })).status).toBe(401);
    expect((await support.act('PATCH', newKrn(), '', { token: supportToken({ scope: '' }), body })).status).toBe(403);
  });

  it('a caller with a valid token gets 503, not 401, while the keys of the issuer cannot be read', async () => {
    const other = await Support.start();
    try {
      other.issuer.answer(500, {});
      const { status, body, headers } = await other.act('GET', newKrn());
      expect([status, body]).toEqual([503, { error: expect.any(String) }]);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
    } finally {
      await other.stop();
    }
  });

  describe('every error has the body {"error"}:', () => {
    const headers = { 'content-type': 'text/plain' };

    it.each(OPERATIONS)('%s %s gets 400 when the path has no KRN [support-errors.krn]', async (method, path) => {
      for (const id of ['bob', 'krn:tandem:dev:partner:a', `krn:a:b:user:${'x'.repeat(65)}`, 'krn:a:b:user:é', '%00']) {
        const { status, body } = await support.act(method, id, path);
        expect([status, body]).toEqual([400, { error: 'user_id: must be the KRN of a user' }]);
      }
    });

    it('an unknown path gets 404, and an unsupported method gets 405 with Allow [support-errors.not-found]', async () => {
      const token = supportToken();
      const unknown = await support.sendRequest('GET', '/idp/support/nothing', { token });
      expect([unknown.status, unknown.body]).toEqual([404, { error: expect.any(String) }]);
      const wrong = await support.act('PUT', newKrn());
      expect([wrong.status, wrong.body]).toEqual([405, { error: expect.any(String) }]);
      expect(wrong.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH']);
    });

    it('a body gets 415 if its type is not JSON, 413 if it is too large, and 400 if it is broken [support-errors.body]', async () => {
      const text = await support.act('PATCH', newKrn(), '', { body: 'ssn=1', headers });
      expect([text.status, text.body]).toEqual([415, { error: expect.any(String) }]);
      const large = await support.act('PATCH', newKrn(), '', { body: { ssn: 'x'.repeat(65_536) } });
      expect([large.status, large.body]).toEqual([413, { error: expect.any(String) }]);
      for (const path of ['', '/enroll']) {
        const broken = await support.act(path ? 'POST' : 'PATCH', newKrn(), path, { body: '{"srts":' });
        expect([broken.status, broken.body]).toEqual([400, { error: expect.any(String) }]);
      }
    });

    it('a route that needs no body ignores a body [support-errors.body]', async () => {
      for (const body of ['{"broken', 'x'.repeat(70_000)]) {
        expect((await support.act('DELETE', newKrn(), '', { body, headers })).status).toBe(200);
        expect((await support.act('POST', newKrn(), '/enrollment-sync', { body })).status).toBe(202);
      }
    });
  });
});
