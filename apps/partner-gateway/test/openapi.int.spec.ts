import { Gateway } from './gateway';

const routesOf = ({ paths }: { paths: Record<string, object> }): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

const PAGE_ASSETS = [
  'favicon-16x16.png',
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-init.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
];

describe('GET /docs/openapi.json', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  it('describes every route of partners and managers, and none of the bus [interface.base-path]', async () => {
    const { body: partners } = await gateway.request('GET', '/docs/openapi.json');
    const { body: managers } = await gateway.request('GET', '/manager-docs/openapi.json');
    expect([...routesOf(partners), ...routesOf(managers)].sort()).toEqual([
      'DELETE /admin/tokens/{id}',
      'GET /admin/audit',
      'GET /admin/partners',
      'GET /admin/partners/{id}',
      'GET /admin/partners/{id}/deliveries',
      'GET /admin/partners/{id}/postback',
      'GET /admin/partners/{id}/promotions',
      'GET /admin/partners/{id}/tokens',
      'GET /admin/partners/{id}/voucher-groups',
      'GET /admin/sales',
      'GET /api/v2/partner/account',
      'GET /api/v2/partner/postback',
      'GET /api/v2/partner/postback/deliveries',
      'GET /api/v2/partner/subscription/create-checkout-url',
      'GET /api/v2/partner/subscription/voucher-group',
      'GET /api/v2/partner/subscription/vouchers',
      'PATCH /admin/partners/{id}',
      'PATCH /admin/promotions/{id}',
      'PATCH /admin/voucher-groups/{id}',
      'POST /admin/partners',
      'POST /admin/partners/{id}/deliveries/{deliveryId}/replay',
      'POST /admin/partners/{id}/postback/enable',
      'POST /admin/partners/{id}/promotions',
      'POST /admin/partners/{id}/tokens',
      'POST /admin/partners/{id}/voucher-groups',
      'POST /admin/sales/{oid}/refuse',
      'POST /admin/sales/{oid}/release',
      'POST /admin/tokens/{id}/rotate',
      'POST /api/v2/partner/postback',
      'POST /api/v2/partner/postback/deliveries/replay',
      'POST /api/v2/partner/postback/deliveries/{id}/replay',
      'POST /api/v2/partner/postback/signing-secret',
      'POST /api/v2/partner/postback/test',
      'POST /api/v2/partner/subscription/vouchers',
      'PUT /api/v2/partner/subscription/revoke',
    ]);
    expect(routesOf(partners).filter((route) => !route.includes(' /api/v2/partner/'))).toEqual([]);
    const { RevokeSaleBody, CheckoutUrl } = partners.components.schemas;
    expect(RevokeSaleBody.properties.subscriptionId).toMatchObject({ type: ['string', 'null'] });
    expect(CheckoutUrl.properties.refId).toMatchObject({ type: ['string', 'null'] });
  });

  it.each(['/docs', '/docs/', '/manager-docs'])(
    'serves a page that people can read at %s [interface.docs-page]',
    async (path) => {
      const page = await fetch(gateway.running.url + path);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const html = await page.text();
      const assets = [...html.matchAll(/(?:src|href)="(\.[^"]+)"/g)].map(([, asset]) => asset as string);
      // The edge lets these through, and nothing else (tools/edge/src/routes.ts).
      expect([...new Set(assets.map((asset) => asset.split('/').at(-1)))].sort()).toEqual(PAGE_ASSETS);
      for (const asset of assets) {
        const answer = await fetch(new URL(asset, page.url));
        expect([asset, answer.status]).toEqual([asset, 200]);
        expect(answer.headers.get('content-type')).toMatch(/javascript|css|png/);
        expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
      }
    },
  );
});
