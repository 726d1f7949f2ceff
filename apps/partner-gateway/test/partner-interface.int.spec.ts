import { uniqueId } from '@tandem/testing';
import { Gateway, purchase, type TestPartner } from './gateway';

describe('the partner interface', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  describe('scopes', () => {
    it('are these six, and no others', async () => {
      const scopes = [
        'checkout:create',
        'sales:revoke',
        'postback:read',
        'postback:write',
        'vouchers:read',
        'vouchers:create',
      ];
      const issue = (wanted: string[]) =>
        gateway.manage('POST', `/admin/partners/${partner.id}/tokens`, { environment: 'live', scopes: wanted });
      expect(await issue(scopes)).toMatchObject({ status: 201, body: { scopes } });
      for (const other of ['partner:manage', 'payments', 'checkout', 'CHECKOUT:CREATE', '*', '']) {
        expect(await issue([...scopes, other])).toMatchObject({ status: 422, body: { errors: [{ field: 'scopes' }] } });
      }
    });
  });

  describe('PUT /partner/subscription/revoke', () => {
    it.each(['customer_request', 'returned', 'fraud', 'order_error', 'duplicate', 'terms_violation', 'other'])(
      'takes the reason %s',
      async (reason) => {
        const oid = uniqueId('sub');
        await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode } }));
        const body = { subscriptionId: oid, reason };
        const { token } = partner;
        expect(await gateway.request('PUT', '/api/v2/partner/subscription/revoke', { token, body })).toMatchObject({
          status: 200,
          body,
        });
      },
    );
  });
});
