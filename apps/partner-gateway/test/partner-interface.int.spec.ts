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
    const SCOPES = {
      promotion: [
        'checkout:create',
        'sales:read',
        'sales:revoke',
        'postback:read',
        'postback:write',
        'postback:listen',
      ],
      voucher: ['vouchers:read', 'vouchers:create'],
    };

    it.each(['promotion', 'voucher'] as const)(
      'can be given to a token of a %s partner only if they belong to its integration kind [tokens.scopes]',
      async (kind) => {
        const { id } = await gateway.createPartner({ kind });
        const issue = (scopes: string[]) =>
          gateway.manage('POST', `/admin/partners/${id}/tokens`, { environment: 'test', scopes });
        const own = SCOPES[kind];
        expect(await issue(own)).toMatchObject({ status: 201, body: { scopes: own } });
        const foreign = Object.values(SCOPES)
          .flat()
          .filter((scope) => !own.includes(scope));
        for (const other of [...foreign, 'partner:manage', 'payments', 'checkout', 'CHECKOUT:CREATE', '*', '']) {
          expect(await issue([...own, other])).toMatchObject({ status: 422, body: { errors: [{ field: 'scopes' }] } });
        }
      },
    );
  });

  describe('PUT /partner/subscription/revoke', () => {
    it.each(['customer_request', 'returned', 'fraud', 'order_error', 'duplicate', 'terms_violation', 'other'])(
      'accepts the reason %s [revoke.reasons]',
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
