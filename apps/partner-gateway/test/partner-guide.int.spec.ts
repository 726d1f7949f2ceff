import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Gateway } from './gateway';

const GUIDE = readFileSync(path.join(__dirname, '../../../docs/partner-guide.md'), 'utf8');

/** The routes that the text and the tables of the guide name, in the form `GET /partner/…`. */
const named = [...GUIDE.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/partner\/[^\s`?]*)/g)].map(
  ([, method, route]) => `${method} /api/v2${route}`,
);

/** The routes that the commands of the guide call, in the form `curl … -X PUT "$TANDEM_BASE_URL/api/v2/…"`. */
const called = [...GUIDE.matchAll(/curl ([^"]*)"\$TANDEM_BASE_URL(\/[^"?]*)/g)].map(([, options = '', route]) => {
  const [, method = 'GET'] = /-X ([A-Z]+)/.exec(options) ?? [];
  return `${method} ${route}`;
});

describe('the partner guide', () => {
  let gateway: Gateway;
  let routes: string[];

  beforeAll(async () => {
    gateway = await Gateway.start();
    const { body } = await gateway.request('GET', '/docs/openapi.json');
    routes = Object.entries(body.paths as Record<string, object>).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
  });
  afterAll(() => gateway.stop());

  it('refers only to routes of the OpenAPI document, in text and in commands', () => {
    expect(called.length).toBeGreaterThanOrEqual(3);
    expect([...named, ...called].filter((route) => !routes.includes(route))).toEqual([]);
  });

  it('covers every route for partners', () => {
    const told = new Set([...named, ...called]);
    expect(routes.filter((route) => route.includes('/api/v2/partner/') && !told.has(route))).toEqual([]);
  });
});
