import { ListenToPostbacks, PostbackRequestPage } from '@tandem/internal-api';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Gateway, type TestPartner } from './gateway';

const PATH = '/api/v2/partner/postback/listen';
const ID = '01910000-0000-7000-8000-00000000000a';
const PAGE = {
  items: [
    {
      id: ID,
      kind: 'sale',
      oid: 'sub-1',
      createdAt: '2026-01-05T09:30:00.000Z',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Tandem-Postback/1.0',
        'webhook-id': ID,
        'x-environment': 'test',
      },
      body: '{"oid":"sub-1"}',
    },
  ],
  nextCursor: 'AAAA',
  hasMore: false,
};

const fits = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

it('the page that the stand-in for postback-dispatcher returns follows the contract', () => {
  expect(fits(PostbackRequestPage, PAGE)).toBe(true);
});

describe('GET /partner/postback/listen', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start({ POSTBACK_DISPATCHER_TIMEOUT_MS: '1000', RATE_LIMIT_READ_PER_MINUTE: '30' });
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const listen = (token?: string, query = '') => gateway.request('GET', PATH + query, { token });
  const countAsked = () => gateway.dispatcher.requests.length;

  it("relays the page of the partner's test environment with no-store [listen.page]", async () => {
    gateway.dispatcher.answer(200, PAGE);
    const { headers, ...answered } = await listen(partner.testToken, '?cursor=AAAA&limit=7');
    expect(answered).toEqual({ status: 200, body: PAGE });
    expect(headers.get('cache-control')).toBe('no-store');
    const { url } = gateway.dispatcher.requests.at(-1) ?? {};
    expect(url).toBe(`/internal/postback-configurations/${partner.id}/test/requests?limit=7&cursor=AAAA`);
    const query = Object.fromEntries(new URL(url ?? '', 'http://x').searchParams);
    expect(fits(ListenToPostbacks, { ...query, limit: 7 })).toBe(true);
  });

  it('refuses live tokens, even with the scope postback:listen, without a call to postback-dispatcher [listen.test-only]', async () => {
    const before = countAsked();
    const forced = await gateway.issueForeignToken(partner.id, ['postback:listen']);
    for (const token of [partner.token, forced]) {
      expect(await listen(token)).toMatchObject({
        status: 403,
        body: { code: 'permission_denied', detail: 'The operation is only for test tokens' },
      });
    }
    expect(countAsked()).toBe(before);
  });

  it('requires the scope postback:listen [listen.test-only]', async () => {
    const scopes = ['postback:read', 'postback:write'];
    const token = await gateway.issueToken(partner.id, { environment: 'test', scopes });
    expect(await listen(token)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    const own = await gateway.issueToken(partner.id, { environment: 'test', scopes: ['postback:listen'] });
    gateway.dispatcher.answer(200, PAGE);
    expect((await listen(own)).status).toBe(200);
  });

  it('refuses requests without a token, expired and revoked tokens, and voucher partners [listen.test-only]', async () => {
    expect((await listen()).status).toBe(401);
    const expired = await gateway.createPartner();
    await gateway.database.query(`update partner.partner_token set expires_at = now() where partner_id = $1`, [
      expired.id,
    ]);
    expect((await listen(expired.testToken)).status).toBe(401);
    const revoked = await gateway.createPartner();
    gateway.dispatcher.answer(200, PAGE);
    expect((await listen(revoked.testToken)).status).toBe(200);
    await gateway.database.query(`update partner.partner_token set revoked_at = now() where partner_id = $1`, [
      revoked.id,
    ]);
    expect((await listen(revoked.testToken)).status).toBe(401);
    const voucher = await gateway.createPartner({ kind: 'voucher' });
    expect(await listen(voucher.testToken)).toMatchObject({
      status: 403,
      body: { code: 'integration_kind_mismatch' },
    });
  });

  it('refuses an invalid query, and a cursor of 300 characters [listen.page]', async () => {
    for (const [query, field] of [
      ['?limit=101', 'limit'],
      ['?since=now', 'since'],
      ['?status=held', 'status'],
    ] as const)
      expect(await listen(partner.testToken, query)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    expect(await listen(partner.testToken, `?cursor=${'a'.repeat(300)}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  it('answers 503 when postback-dispatcher fails', async () => {
    gateway.dispatcher.answer(500, {});
    expect(await listen(partner.testToken)).toMatchObject({ status: 503 });
  });

  it('counts each request towards the token’s limit of reads [listen.limit]', async () => {
    gateway.dispatcher.answer(200, PAGE);
    const { testToken } = await gateway.createPartner();
    const statuses: number[] = [];
    for (let count = 0; count < 32; count++) statuses.push((await listen(testToken)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    const refused = await listen(testToken);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
