import { Gateway } from './gateway';

const routesOf = ({ paths }: { paths: Record<string, object> }): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

/** The routes for operators and the routes of the OpenAPI documents, which belong to neither API. */
const OPERATIONS = /^(GET|HEAD) \/(livez|readyz|metrics|(manager-)?docs\/openapi\.json)$/;

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

  it('describes exactly the routes for partners and for managers [interface.base-path]', async () => {
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
});
