/**
 * The apps of the platform, one row each. Ports, database roles, addresses, the edge's routes, migrations, seeds, and what the
 * commands take as `--app` derive from it. A new app is one row here and its folder; `npm run new -- app NAME` writes both.
 * apps.d.ts says what the columns mean.
 *
 * @type {readonly import('./apps').AppRow[]}
 */
exports.APPS = [
  {
    name: 'partner-gateway',
    role: 'partner',
    port: 4101,
    routes: [{ prefix: '/api/v2/partner' }, { prefix: '/admin' }],
    docs: ['/docs', '/manager-docs'],
    encryptsFields: true,
    seed: { file: 'seed.json' },
  },
  {
    name: 'webhook-ingest',
    role: 'ingest',
    port: 4102,
    routes: [
      { prefix: '/idp/payments/webhook', only: ['/', '/plan-change'], bodyLimitBytes: 256 * 1024 },
      { prefix: '/idp/array/webhook', only: ['/'], bodyLimitBytes: 256 * 1024 },
    ],
    encryptsFields: true,
  },
  { name: 'postback-dispatcher', role: 'postback', port: 4103, encryptsFields: true },
  {
    name: 'voucher-service',
    role: 'voucher',
    port: 4104,
    seed: { partners: 'seed.json', file: 'voucher-seed.json' },
  },
  {
    name: 'idp-api',
    role: 'idp',
    port: 4105,
    routes: [{ prefix: '/idp/array/users' }],
    docs: ['/idp-docs'],
    encryptsFields: true,
  },
  {
    name: 'discovery',
    role: 'discovery',
    port: 4106,
    routes: [{ prefix: '/ids2' }],
    docs: ['/ids2-docs'],
    // Its samples are its own: apps/discovery/seed.
    seed: {},
  },
  { name: 'idp-support', role: 'support', port: 4107, routes: [{ prefix: '/idp/support' }], docs: ['/support-docs'] },
];

/**
 * The name of an app's variable: `partner-gateway`, `PORT` → `PARTNER_GATEWAY_PORT`.
 *
 * @param {string} name
 * @param {'PORT' | 'URL'} suffix
 * @returns {string}
 */
exports.variableOf = (name, suffix) => `${name.toUpperCase().replaceAll('-', '_')}_${suffix}`;
