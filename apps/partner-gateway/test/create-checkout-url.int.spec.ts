import { CheckoutTokens } from '@tandem/auth';
import { Gateway, type TestPartner } from './gateway';

const PATH = '/api/v2/partner/subscription/create-checkout-url';

describe('GET /partner/subscription/create-checkout-url', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  const create = (query = '', token = partner.token) => gateway.request('GET', PATH + query, { token });

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner({ percentOff: 25 });
  });
  afterAll(() => gateway.stop());

  it('returns a signed URL with the reference, the discount and a lifetime of 24 hours [interface.create-checkout-url, checkout.optional, checkout.answer, checkout.no-store, checkout.signed, checkout.life, checkout.url]', async () => {
    const before = Date.now();
    const { status, body, headers } = await create('?ref_id=order%2042&plan=advanced&currency=EUR&locale=de-DE');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['checkoutUrl', 'refId', 'discount', 'expiresAt']);
    expect(body).toMatchObject({ refId: 'order 42', discount: { id: partner.promotionId, percentOff: 25 } });
    expect(headers.get('cache-control')).toBe('no-store');
    const life = Date.parse(body.expiresAt as string) - before;
    expect(life).toBeGreaterThan(86_399_000 - 1000);
    expect(life).toBeLessThanOrEqual(86_400_000 + 1000);

    const url = new URL(body.checkoutUrl as string);
    expect(url.origin + url.pathname).toBe('https://store.example.com/checkout');
    const { checkout, ...others } = Object.fromEntries(url.searchParams);
    expect(others).toEqual({ data4: 'order 42', plan: 'advanced', currency: 'EUR', locale: 'de-DE' });
    const tokens = new CheckoutTokens(gateway.env['CHECKOUT_SIGNING_KEYS'] as string);
    expect(tokens.verify(checkout as string, new Date()).claims).toEqual({
      partnerId: partner.id,
      promotionId: partner.promotionId,
      percentOff: 25,
      environment: 'live',
      refId: 'order 42',
      expiresAt: new Date(body.expiresAt as string),
    });
  });

  it('omits data4 and returns refId null when ref_id is not given [checkout.ref-id, checkout.url]', async () => {
    const { body } = await create();
    expect(body.refId).toBeNull();
    expect([...new URL(body.checkoutUrl as string).searchParams.keys()]).toEqual(['checkout']);
  });

  it.each(['x'.repeat(200), ' a ', '참고 & = ? # % +', '👩‍🚀', '"<script>'])(
    'keeps the reference %p unchanged [checkout.ref-id-exact]',
    async (refId) => {
      const { status, body } = await create(`?ref_id=${encodeURIComponent(refId)}`);
      expect(status).toBe(200);
      expect(body.refId).toBe(refId);
      expect(new URL(body.checkoutUrl as string).searchParams.get('data4')).toBe(refId);
    },
  );

  it.each(['EUR', 'VED', 'XCG'])('accepts the currency %s of ISO 4217 [checkout.optional]', async (currency) => {
    const { body } = await create(`?currency=${currency}`);
    expect(new URL(body.checkoutUrl as string).searchParams.get('currency')).toBe(currency);
  });

  it('signs the URL for the environment of the caller’s token [tokens.mode-in-credential]', async () => {
    const tokens = new CheckoutTokens(gateway.env['CHECKOUT_SIGNING_KEYS'] as string);
    expect(tokens.verify(await gateway.checkoutToken(partner.testToken), new Date()).claims?.environment).toBe('test');
  });

  it.each([
    ['ref_id=', 'ref_id'],
    [`ref_id=${'x'.repeat(201)}`, 'ref_id'],
    ['ref_id=a%0Ab', 'ref_id'],
    ['ref_id=a&ref_id=b', 'ref_id'],
    ['currency=EURO', 'currency'],
    ['currency=eur', 'currency'],
    ['currency=ZZZ', 'currency'],
    ['currency=HRK', 'currency'],
    ['plan=', 'plan'],
    ['plan=a%20b', 'plan'],
    ['locale=not_a_locale', 'locale'],
    ['locale=', 'locale'],
  ])(
    'refuses the query ?%s [checkout.ref-id-form, checkout.optional, errors.problem-json, errors.validation-failed]',
    async (query, field) => {
      const { status, body, headers } = await create(`?${query}`);
      expect(status).toBe(422);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({ status: 422, code: 'validation_failed', instance: PATH });
      expect(body.errors).toEqual([{ field, message: expect.any(String) }]);
      expect(body.requestId).toBe(headers.get('x-request-id'));
    },
  );

  it('answers 409 promotion_not_active without an active promotion [errors.promotion-not-active]', async () => {
    const { token } = await gateway.createPartner({ percentOff: null });
    expect(await create('', token)).toMatchObject({ status: 409, body: { code: 'promotion_not_active' } });
  });

  it('answers 409 as soon as the promotion is deactivated [errors.promotion-not-active]', async () => {
    const ended = await gateway.createPartner();
    expect((await create('', ended.token)).status).toBe(200);
    await gateway.manage('PATCH', `/admin/promotions/${ended.promotionId}`, { active: false });
    expect(await create('', ended.token)).toMatchObject({ status: 409, body: { code: 'promotion_not_active' } });
  });

  it('stores no sale and no event [checkout.writes-nothing]', async () => {
    await create('?ref_id=nothing-is-written');
    const [counts] = await gateway.database.query(
      `select (select count(*)::int from partner.sale) as sales, (select count(*)::int from partner.outbox where topic <> 'partner.changed') as events`,
    );
    expect(counts).toEqual({ sales: 0, events: 0 });
  });

  it('answers 405 with Allow to another method [errors.method-not-allowed]', async () => {
    const answer = await gateway.request('POST', PATH, { token: partner.token, body: {} });
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toContain('GET');
  });
});
