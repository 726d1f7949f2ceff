import { Gateway, type PartnerOptions } from './gateway';

const ACCOUNT = '/api/v2/partner/account';

describe('GET /partner/account', () => {
  let gateway: Gateway;
  const account = (token?: string) => gateway.request('GET', ACCOUNT, { token });
  const unauthorized = { status: 401, body: { code: 'unauthorized', instance: ACCOUNT } };

  beforeAll(async () => {
    gateway = await Gateway.start({ RATE_LIMIT_READ_PER_MINUTE: '2' });
  });
  afterAll(() => gateway.stop());

  it.each<[NonNullable<PartnerOptions['kind']>, string[]]>([
    ['promotion', ['sales:revoke']],
    ['promotion', ['checkout:create', 'postback:read']],
    ['voucher', ['vouchers:read']],
  ])(
    'describes the account of a %s partner to a token with the scopes %j [interface.account]',
    async (kind, scopes) => {
      const { id } = await gateway.createPartner({ kind, percentOff: null, revokeWindowDays: 14 });
      for (const environment of ['live', 'test']) {
        const answer = await account(await gateway.issueToken(id, { environment, scopes }));
        expect([answer.status, answer.body]).toEqual([
          200,
          { id, name: 'A partner', integrationKind: kind, environment, scopes, revokeWindowDays: 14 },
        ]);
      }
    },
  );

  it('shows a change of the account immediately [interface.account]', async () => {
    const { id, token } = await gateway.createPartner();
    await gateway.manage('PATCH', `/admin/partners/${id}`, { name: 'Renamed', revokeWindowDays: 7 });
    expect((await account(token)).body).toMatchObject({ name: 'Renamed', revokeWindowDays: 7 });
  });

  it('answers 401 without a token [interface.account]', async () => {
    expect(await account()).toMatchObject(unauthorized);
  });

  it.each(['expires_at', 'revoked_at'])(
    'answers 401 when the `%s` of the token has passed [interface.account]',
    async (column) => {
      const { id, token } = await gateway.createPartner();
      await gateway.database.query(`update partner.partner_token set ${column} = now() where partner_id = $1`, [id]);
      expect(await account(token)).toMatchObject(unauthorized);
    },
  );

  it('answers 403 permission_denied while the account is inactive [interface.account]', async () => {
    const { id, token } = await gateway.createPartner();
    await gateway.manage('PATCH', `/admin/partners/${id}`, { active: false });
    expect(await account(token)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('counts towards the limit of reads, and answers 429 when this limit is used up [interface.account]', async () => {
    const { token } = await gateway.createPartner();
    expect((await account(token)).headers.get('ratelimit')).toMatch(/^"read";r=1;/);
    expect((await account(token)).status).toBe(200);
    const answer = await account(token);
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});
