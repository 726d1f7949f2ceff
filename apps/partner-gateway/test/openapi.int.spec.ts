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

/** Matches the routes that belong to neither API. */
const OPERATIONS = /^(GET|HEAD) \/(livez|readyz|metrics|(manager-)?docs(-yaml|\/.*)?)$/;

describe('the served API documentation', () => {
  const served: string[] = [];
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start({}, (fastify) =>
      fastify.addHook('onRoute', ({ method, url }) => {
        for (const name of [method].flat()) served.push(`${name} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
      }),
    );
  });
  afterAll(() => gateway.stop());

  it('describes every route for partners and managers, and no other route [interface.base-path]', async () => {
    const { body: partners } = await gateway.request('GET', '/docs/openapi.json');
    const { body: managers } = await gateway.request('GET', '/manager-docs/openapi.json');
    const documented = [...routesOf(partners), ...routesOf(managers)];
    const isHeadOfGet = (route: string): boolean =>
      route.startsWith('HEAD ') && documented.includes(route.replace('HEAD', 'GET'));
    const others = served.filter((route) => !OPERATIONS.test(route) && !isHeadOfGet(route));
    expect(others.sort()).toEqual(documented.sort());
    expect(documented).toContain('PUT /api/v2/partner/subscription/revoke');
    expect(routesOf(partners).filter((route) => !/ \/api\/v2\/partner(\/|-applications$)/.test(route))).toEqual([]);
    const { RevokeSaleBody, CheckoutUrl } = partners.components.schemas;
    expect(RevokeSaleBody.properties.subscriptionId).toMatchObject({ type: ['string', 'null'] });
    expect(CheckoutUrl.properties.refId).toMatchObject({ type: ['string', 'null'] });
  });

  it.each(['/docs', '/docs/', '/manager-docs'])(
    'has a human-readable page at %s [interface.docs-page]',
    async (path) => {
      const page = await fetch(gateway.running.url + path);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const html = await page.text();
      const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, asset]) => asset as string);
      // The edge allows only these files (tools/edge/src/routes.ts).
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
