import { Logger } from '@nestjs/common';
import { SALE_REVOKED } from '@tandem/contracts';
import { uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner } from './gateway';

const PATH = '/api/v2/partner/subscription/revoke';

describe('PUT /partner/subscription/revoke', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  const revoke = (body: unknown, { query = '', token = partner.token } = {}) =>
    gateway.request('PUT', PATH + query, { token, body });

  /** Creates a sale of `owner`, and returns the id of the sale. */
  const sell = async (change: Parameters<typeof purchase>[1] = {}, owner = partner): Promise<string> => {
    const oid = uniqueId('sub');
    await gateway.receive(purchase(oid, { attribution: { promotionCode: owner.promotionCode }, ...change }));
    return oid;
  };
  const revocations = (oid: string) => gateway.published(SALE_REVOKED.topic, oid);

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  it('revokes a qualified sale and publishes sale.revoked [interface.revoke, revoke.body, revoke.answer, revoke.event, postback-body.oid]', async () => {
    const oid = await sell();
    const { status, body } = await revoke({ subscriptionId: oid, reason: 'returned', note: 'came back' });
    expect(status).toBe(200);
    expect(body).toEqual({ subscriptionId: oid, status: 'revoked', revokedAt: expect.any(String), reason: 'returned' });
    const { revokedAt } = body;
    expect(await gateway.sale(oid)).toMatchObject({ status: 'revoked', revoke_note: 'came back', version: 2 });
    expect(await revocations(oid)).toEqual([
      { oid, partnerId: partner.id, environment: 'live', reason: 'returned', revokedAt },
    ]);
  });

  it('answers a repeated request with the original time and reason, and publishes no other event [revoke.repeat]', async () => {
    const oid = await sell();
    const first = await revoke({ subscriptionId: oid, reason: 'fraud' });
    const second = await revoke({ subscriptionId: oid, reason: 'duplicate' });
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await revocations(oid)).toHaveLength(1);
  });

  it('logs one line for a revocation, and no line for a repeated request', async () => {
    const log = jest.spyOn(Logger.prototype, 'log');
    const oid = await sell();
    for (let times = 1; times <= 2; times++) await revoke({ subscriptionId: oid, reason: 'fraud', note: 'secret' });
    const lines = log.mock.calls.map(([line]) => line as { from?: string }).filter(({ from }) => from === 'qualified');
    log.mockRestore();
    expect(lines).toEqual([
      { msg: 'sale changed', oid, partnerId: partner.id, from: 'qualified', to: 'revoked', reason: 'fraud' },
    ]);
  });

  it('publishes one event for five concurrent revocations [revoke.repeat]', async () => {
    const oid = await sell();
    const answers = await gateway.atOnce(oid, 5, () => revoke({ subscriptionId: oid }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.revokedAt)).size).toBe(1);
    expect(await revocations(oid)).toHaveLength(1);
  });

  it.each([undefined, null])(
    'stores the reason `other` if the request’s reason is %p [revoke.default-reason]',
    async (reason) => {
      expect((await revoke({ subscriptionId: await sell(), reason, note: null })).body.reason).toBe('other');
    },
  );

  it('accepts the subscription in the query, with or without a body [revoke.query]', async () => {
    const bare = await sell();
    expect((await revoke(undefined, { query: `?subscriptionId=${bare}` })).body.subscriptionId).toBe(bare);
    const both = await sell();
    const answer = await revoke({ subscriptionId: both, reason: 'fraud' }, { query: `?subscriptionId=${both}` });
    expect(answer).toMatchObject({ status: 200, body: { reason: 'fraud' } });
  });

  it('refuses a request whose body and query name different subscriptions [revoke.conflict]', async () => {
    const oid = await sell();
    expect(await revoke({ subscriptionId: oid }, { query: '?subscriptionId=other' })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field: 'subscriptionId' }] },
    });
    expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified' });
    expect(await revocations(oid)).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ['a request without a subscription', {}, '', 'subscriptionId'],
    ['an empty subscription', { subscriptionId: '' }, '', 'subscriptionId'],
    ['a subscription that is a number', { subscriptionId: 1 }, '', 'subscriptionId'],
    ['a subscription with U+0000', { subscriptionId: 'a\0' }, '', 'subscriptionId'],
    ['a note with U+0000', { subscriptionId: 'a', note: '\0' }, '', 'note'],
    ['a note that ends with half of a surrogate pair', { subscriptionId: 'a', note: 'cut \ud83d' }, '', 'note'],
    ['two subscriptions', {}, '?subscriptionId=a&subscriptionId=b', 'subscriptionId'],
    ['an unknown reason', { subscriptionId: 'a', reason: 'bored' }, '', 'reason'],
    ['a note that is too long', { subscriptionId: 'a', note: 'x'.repeat(1001) }, '', 'note'],
  ])(
    'answers 422 to %s [revoke.body, revoke.reasons, errors.validation-failed]',
    async (_title, body, query, field) => {
      expect(await revoke(body, { query })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
    },
  );

  it.each<[string, string]>([
    ['broken JSON', '{"subscriptionId":'],
    ['a list', '[]'],
    ['a text', '"a"'],
  ])('answers 400 malformed_request to %s [errors.malformed-request]', async (_title, body) => {
    expect(await revoke(body)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  it('answers 415 to another content type, and 413 to more than 64 KiB [interface.json, errors.payload-too-large, errors.unsupported-media-type]', async () => {
    const form = { token: partner.token, body: 'subscriptionId=a', headers: { 'content-type': 'text/plain' } };
    expect(await gateway.request('PUT', PATH, form)).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
    expect(await revoke({ subscriptionId: 'a', note: 'x'.repeat(70_000) })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
  });

  it('answers 404 for an unknown sale, and for a sale of another partner or environment [errors.subscription-not-found]', async () => {
    const oid = await sell();
    const other = await gateway.createPartner();
    const answers = await Promise.all([
      revoke({ subscriptionId: uniqueId('sub') }),
      revoke({ subscriptionId: oid }, { token: other.token }),
      revoke({ subscriptionId: oid }, { token: partner.testToken }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'subscription_not_found', detail: answers[0]?.body.detail });
    }
    expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified' });
  });

  it('revokes a test sale only with a test token [tokens.test-data-only]', async () => {
    const checkoutToken = await gateway.checkoutToken(partner.testToken);
    const oid = await sell({ attribution: { checkoutToken } });
    expect((await revoke({ subscriptionId: oid })).status).toBe(404);
    expect((await revoke({ subscriptionId: oid }, { token: partner.testToken })).status).toBe(200);
    expect(await revocations(oid)).toMatchObject([{ environment: 'test' }]);
  });

  it.each<[string, (oid: string) => Promise<void>]>([
    ['pending', (oid) => gateway.receive(purchase(oid, { ...own(), paymentStatus: 'pending' }))],
    ['failed', (oid) => gateway.receive(purchase(oid, { ...own(), paymentStatus: 'failed' }))],
    ['held', (oid) => gateway.receive(purchase(oid, { ...own(), customer: { emailMasked: 'a***z@mailinator.com' } }))],
    ['refunded', (oid) => gateway.receive(purchase(oid, own()), closure(oid, 'subscription.refunded', 5))],
    ['charged_back', (oid) => gateway.receive(purchase(oid, own()), closure(oid, 'subscription.charged_back', 5))],
  ])(
    'answers 409 sale_not_revocable to a sale that is %s [revoke.not-revocable, errors.sale-not-revocable]',
    async (status, prepare) => {
      const oid = uniqueId('sub');
      await prepare(oid);
      expect(await gateway.sale(oid)).toMatchObject({ status });
      expect(await revoke({ subscriptionId: oid })).toMatchObject({
        status: 409,
        body: { code: 'sale_not_revocable' },
      });
      expect(await gateway.sale(oid)).toMatchObject({ status });
      expect(await revocations(oid)).toEqual([]);
    },
  );

  it('answers 409 revoke_window_closed after 30 days, unless the sale is already revoked [revoke.window, errors.revoke-window-closed]', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const inside = await sell({ occurredAt: daysAgo(29.9) });
    expect((await revoke({ subscriptionId: inside })).status).toBe(200);
    const outside = await sell({ occurredAt: daysAgo(30.1) });
    expect(await revoke({ subscriptionId: outside })).toMatchObject({
      status: 409,
      body: { code: 'revoke_window_closed' },
    });
    expect(await revocations(outside)).toEqual([]);
    await gateway.database.query(`update partner.sale set sold_at = now() - interval '99 days' where oid = $1`, [
      inside,
    ]);
    expect((await revoke({ subscriptionId: inside })).status).toBe(200);
  });

  it("applies the partner's own revoke window [revoke.window-of-partner]", async () => {
    const strict = await gateway.createPartner({ revokeWindowDays: 0 });
    const oid = await sell({}, strict);
    expect(await revoke({ subscriptionId: oid }, { token: strict.token })).toMatchObject({
      status: 409,
      body: { code: 'revoke_window_closed' },
    });
    await gateway.manage('PATCH', `/admin/partners/${strict.id}`, { revokeWindowDays: 1 });
    expect((await revoke({ subscriptionId: oid }, { token: strict.token })).status).toBe(200);
  });

  it('keeps the sale revoked when a refund follows [sales.states]', async () => {
    const oid = await sell();
    await revoke({ subscriptionId: oid });
    await gateway.receive(closure(oid, 'subscription.refunded', 30));
    expect(await gateway.sale(oid)).toMatchObject({ status: 'revoked' });
    expect((await revoke({ subscriptionId: oid })).status).toBe(200);
  });

  const own = () => ({ attribution: { promotionCode: partner.promotionCode } });
});
