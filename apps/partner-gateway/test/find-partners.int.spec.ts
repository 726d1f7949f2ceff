import { uniqueId } from '@tandem/testing';
import { Gateway, purchase, type TestPartner } from './gateway';

describe('partners in the admin API', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let name: string;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
    await gateway.createPartner({ kind: 'voucher' });
    name = `Café_100% ${uniqueId('Shop')}`;
    await gateway.manage('PATCH', `/admin/partners/${partner.id}`, { name });
  });
  afterAll(() => gateway.stop());

  const find = async (query: Record<string, string>): Promise<string[]> => {
    const { status, body } = await gateway.manage('GET', `/admin/partners?${new URLSearchParams(query)}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return (body.items as { id: string }[]).map(({ id }) => id);
  };

  it('are found by the id, a part of the name, a promotion code, or the last 4 characters of a token [admin.partner-search]', async () => {
    const last4 = partner.token.slice(-4);
    for (const search of [name.toLowerCase(), 'fé_100%', partner.id, partner.promotionCode.toLowerCase(), last4]) {
      expect(await find({ search })).toEqual([partner.id]);
    }
    for (const search of ['fé%', 'Café?', `${partner.id}x`, '\\']) expect(await find({ search })).toEqual([]);
  });

  it('can be filtered by kind and state [admin.partner-search]', async () => {
    const inactive = await gateway.createPartner();
    await gateway.manage('PATCH', `/admin/partners/${inactive.id}`, { active: false });
    expect(await find({ active: 'false' })).toEqual([inactive.id]);
    expect(await find({ kind: 'promotion', active: 'true' })).toEqual([partner.id]);
    expect(await find({ kind: 'voucher', search: name })).toEqual([]);
  });

  it('are paged with a filter, and a cursor is accepted only with the filter for which it was issued [admin.partner-search]', async () => {
    await gateway.createPartner({ kind: 'voucher' });
    const first = await gateway.manage('GET', '/admin/partners?kind=voucher&limit=1');
    const cursor = String(first.body.nextCursor);
    expect(await find({ kind: 'voucher', limit: '1', cursor })).toHaveLength(1);
    for (const query of [`cursor=${cursor}`, `kind=promotion&cursor=${cursor}`]) {
      expect(await gateway.manage('GET', `/admin/partners?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
    }
  });

  it.each([
    ['search=', 'search'],
    ['kind=cat', 'kind'],
    ['active=yes', 'active'],
  ])('are not listed for the invalid query ?%s', async (query, field) => {
    expect(await gateway.manage('GET', `/admin/partners?${query}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field }] },
    });
  });

  it('have a preview of a deactivation, which counts the affected tokens and sales, and changes nothing [admin.deactivation]', async () => {
    const { id, promotionCode } = await gateway.createPartner();
    const attribution = { promotionCode };
    await gateway.receive(purchase(uniqueId('sub'), { attribution }));
    await gateway.receive(purchase(uniqueId('sub'), { attribution, paymentStatus: 'pending' }));
    await gateway.receive(purchase(uniqueId('sub'), { attribution, customer: { emailMasked: 'a***z@yopmail.com' } }));
    // The token of a portal session is not counted: the preview counts only the tokens that managers have issued.
    const link = await gateway.manage('POST', `/admin/partners/${id}/portal-links`, { environment: 'live' });
    const code = String(link.body.url).split('#')[1];
    const session = await gateway.request('POST', '/api/v2/partner/portal-session', { token: code });
    expect(session.body.token).toEqual(expect.any(String));
    const preview = () => gateway.manage('GET', `/admin/partners/${id}/deactivation`);
    const { status, body } = await preview();
    expect([status, body]).toEqual([200, { tokens: 2, promotionCode, heldSales: 1, pendingSales: 1, recentSales: 1 }]);
    expect((await gateway.manage('GET', `/admin/partners/${id}`)).body.active).toBe(true);
    const { body: tokens } = await gateway.manage('GET', `/admin/partners/${id}/tokens`);
    for (const token of tokens.items as { id: string }[]) await gateway.manage('DELETE', `/admin/tokens/${token.id}`);
    expect((await preview()).body).toMatchObject({ tokens: 0 });
    expect(await gateway.manage('GET', '/admin/partners/ptn_unknown/deactivation')).toMatchObject({ status: 404 });
  });
});
