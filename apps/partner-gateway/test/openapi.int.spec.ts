import { Gateway } from './gateway';

describe('GET /docs/openapi.json', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  it('describes every route of partners and managers, and none of the bus', async () => {
    const { body } = await gateway.request('GET', '/docs/openapi.json');
    const routes = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.filter((route) => /\/(api|admin)\//.test(route)).sort()).toEqual([
      'DELETE /admin/tokens/{id}',
      'GET /admin/audit',
      'GET /admin/partners',
      'GET /admin/partners/{id}',
      'GET /admin/partners/{id}/promotions',
      'GET /admin/partners/{id}/tokens',
      'GET /admin/partners/{id}/voucher-groups',
      'GET /admin/sales',
      'GET /api/v2/partner/postback',
      'GET /api/v2/partner/subscription/create-checkout-url',
      'GET /api/v2/partner/subscription/voucher-group',
      'GET /api/v2/partner/subscription/vouchers',
      'PATCH /admin/partners/{id}',
      'PATCH /admin/promotions/{id}',
      'PATCH /admin/voucher-groups/{id}',
      'POST /admin/partners',
      'POST /admin/partners/{id}/promotions',
      'POST /admin/partners/{id}/tokens',
      'POST /admin/partners/{id}/voucher-groups',
      'POST /admin/sales/{oid}/refuse',
      'POST /admin/sales/{oid}/release',
      'POST /admin/tokens/{id}/rotate',
      'POST /api/v2/partner/postback',
      'POST /api/v2/partner/subscription/vouchers',
      'PUT /api/v2/partner/subscription/revoke',
    ]);
    const { RevokeSaleBody, CheckoutUrl } = body.components.schemas;
    expect(RevokeSaleBody.properties.subscriptionId).toMatchObject({ type: 'string' });
    expect(CheckoutUrl.properties.refId).toMatchObject({ type: 'string', nullable: true });
  });
});
