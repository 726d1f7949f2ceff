import { generatePartnerToken } from '@tandem/auth';
import { eventually } from '@tandem/testing';
import { Gateway, type TestPartner } from './gateway';

const CHECKOUT = '/api/v2/partner/subscription/create-checkout-url';

describe('the authentication of partners', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  const call = (headers: Record<string, string>) => gateway.request('GET', CHECKOUT, { headers });

  beforeAll(async () => {
    gateway = await Gateway.start({ TOKEN_USE_FLUSH_SECONDS: '1' });
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  it.each<[string, () => Record<string, string>]>([
    ['a request without a token', () => ({})],
    ['an empty header', () => ({ authorization: '' })],
    ['another scheme', () => ({ authorization: `Basic ${partner.token}` })],
    ['a malformed token', () => ({ authorization: 'Bearer abc' })],
    [
      'a token with a wrong checksum',
      () => ({ authorization: `Bearer ${partner.token.slice(0, -1)}${partner.token.endsWith('0') ? '1' : '0'}` }),
    ],
    ['an unknown token', () => ({ authorization: `Bearer ${generatePartnerToken('live')}` })],
    ['text after the token', () => ({ authorization: `Bearer ${partner.token} more` })],
  ])('answers 401 to %s [interface.bearer, errors.unauthorized]', async (_title, headers) => {
    const answer = await call(headers());
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('answers each of 60 concurrent requests with the account of its token, or 401 for an unknown token', async () => {
    const partners = [partner, await gateway.createPartner(), await gateway.createPartner()];
    // partners[3] does not exist, so every fourth request has an unknown token.
    const tokens = Array.from({ length: 60 }, (_, index) => {
      const owner = partners[index % 4];
      return { id: owner?.id, token: owner?.token ?? generatePartnerToken('live') };
    });
    const answers = await Promise.all(
      tokens.map(({ token }) => gateway.request('GET', '/api/v2/partner/account', { token })),
    );
    expect(answers.map(({ status, body }) => [status, (body as { id?: string }).id])).toEqual(
      tokens.map(({ id }) => [id === undefined ? 401 : 200, id]),
    );
  });

  it('answers 401 after the token has expired [tokens.expires-at, errors.unauthorized]', async () => {
    const { id, token } = await gateway.createPartner();
    await gateway.database.query(`update partner.partner_token set expires_at = now() where partner_id = $1`, [id]);
    expect((await call({ authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('accepts the scheme Bearer in lower case [interface.bearer]', async () => {
    expect((await call({ authorization: `bearer ${partner.token}` })).status).toBe(200);
  });

  it.each<[string, string, string]>([
    ['GET', CHECKOUT, 'checkout:create'],
    ['GET', '/api/v2/partner/sales', 'sales:read'],
    ['PUT', '/api/v2/partner/subscription/revoke?subscriptionId=a', 'sales:revoke'],
    ['GET', '/api/v2/partner/postback', 'postback:read'],
    ['POST', '/api/v2/partner/postback', 'postback:write'],
    ['GET', '/api/v2/partner/postback/listen', 'postback:listen'],
  ])(
    'requires for %s %s the scope %s [interface.permission, tokens.scope-of-routes, errors.permission-denied]',
    async (method, path, scope) => {
      const all = [
        'checkout:create',
        'sales:read',
        'sales:revoke',
        'postback:read',
        'postback:write',
        'postback:listen',
      ];
      const issue = (scopes: string[]) => gateway.issueToken(partner.id, { environment: 'test', scopes });
      const without = await issue(all.filter((one) => one !== scope));
      const only = await issue([scope]);
      const body = method === 'POST' ? {} : undefined;
      expect(await gateway.request(method, path, { token: without, body })).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      });
      expect((await gateway.request(method, path, { token: only, body })).status).not.toBe(403);
    },
  );

  it.each<[string, string]>([
    ['GET', CHECKOUT],
    ['PUT', '/api/v2/partner/subscription/revoke?subscriptionId=a'],
    ['GET', '/api/v2/partner/postback'],
    ['POST', '/api/v2/partner/postback'],
  ])(
    'refuses %s %s to voucher partners, even to a token with scopes of promotion partners [interface.kinds, postback.kind, errors.integration-kind-mismatch]',
    async (method, path) => {
      const voucher = await gateway.createPartner({ kind: 'voucher' });
      const foreign = await gateway.issueForeignToken(voucher.id, [
        'checkout:create',
        'sales:revoke',
        'postback:write',
      ]);
      for (const token of [voucher.token, foreign]) {
        const answer = await gateway.request(method, path, { token, body: method === 'POST' ? {} : undefined });
        expect(answer).toMatchObject({ status: 403, body: { code: 'integration_kind_mismatch' } });
      }
    },
  );

  it('authenticates and authorizes the caller before the query is validated [errors.order]', async () => {
    expect((await gateway.request('GET', `${CHECKOUT}?ref_id=`)).status).toBe(401);
    const token = await gateway.issueToken(partner.id, { scopes: ['postback:read'] });
    expect((await gateway.request('GET', `${CHECKOUT}?ref_id=`, { token })).status).toBe(403);
  });

  it('answers 403 permission_denied while the account is inactive [interface.permission]', async () => {
    const { id, token } = await gateway.createPartner();
    await gateway.manage('PATCH', `/admin/partners/${id}`, { active: false });
    expect(await gateway.request('GET', CHECKOUT, { token })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    await gateway.manage('PATCH', `/admin/partners/${id}`, { active: true });
    expect((await gateway.request('GET', CHECKOUT, { token })).status).toBe(200);
  });

  it('records when a token was last used [tokens.last-used-at]', async () => {
    const { id, token } = await gateway.createPartner();
    const lastUses = async () => {
      const { body } = await gateway.manage('GET', `/admin/partners/${id}/tokens`);
      return (body.items as { lastUsedAt: string | null }[]).map(({ lastUsedAt }) => lastUsedAt);
    };
    expect(await lastUses()).toEqual([null, null]);
    await gateway.request('GET', CHECKOUT, { token });
    await eventually(async () => expect(await lastUses()).toEqual([null, expect.any(String)]));
  });

  it('returns the request id of the caller, and replaces an invalid request id [errors.request-id]', async () => {
    const given = await call({ 'x-request-id': 'my.request-1' });
    expect(given.headers.get('x-request-id')).toBe('my.request-1');
    expect(given.body.requestId).toBe('my.request-1');
    const made = await call({ 'x-request-id': 'x'.repeat(129) });
    expect(made.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  });
});
