/**
 * The apps of the platform, one row each. Ports, database roles, addresses, the edge's routes, who may call which internal
 * route, migrations, seeds, and the values of `--app` are derived from these rows. A new app needs a row here and a folder;
 * `npm run new -- app NAME` writes both. apps.d.ts documents the columns.
 *
 * @type {readonly import('./apps').AppRow[]}
 */
exports.APPS = [
  {
    name: 'partner-gateway',
    role: 'partner',
    port: 4101,
    routes: [
      { prefix: '/api/v2/partner' },
      { prefix: '/api/v2/partner-applications', only: ['/'] },
      { prefix: '/admin' },
    ],
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
    callers: {
      operator: ['GET /internal/webhooks', 'GET /internal/webhooks/content', 'POST /internal/webhooks/replay'],
    },
    encryptsFields: true,
  },
  {
    name: 'postback-dispatcher',
    role: 'postback',
    port: 4103,
    callers: {
      'partner-gateway': [
        'GET /internal/postback-configurations/:partnerId/:environment',
        'PUT /internal/postback-configurations/:partnerId/:environment',
        'GET /internal/postback-configurations/:partnerId/:environment/status',
        'POST /internal/postback-configurations/:partnerId/:environment/enable',
        'POST /internal/postback-configurations/:partnerId/:environment/signing-secret',
        'GET /internal/postback-configurations/:partnerId/:environment/deliveries',
        'GET /internal/postback-configurations/:partnerId/:environment/requests',
        'POST /internal/postback-configurations/:partnerId/:environment/deliveries/of-sales',
        'GET /internal/postback-configurations/:partnerId/:environment/deliveries/replay',
        'POST /internal/postback-configurations/:partnerId/:environment/deliveries/replay',
        'POST /internal/postback-configurations/:partnerId/:environment/deliveries/:id/replay',
        'POST /internal/postback-configurations/:partnerId/:environment/test',
        'PUT /internal/partners/:partnerId/endpoint-limits',
        'GET /internal/dead-letters',
        'GET /internal/attention',
        'GET /internal/statistics',
        'POST /internal/statistics/recount',
      ],
    },
    encryptsFields: true,
  },
  {
    name: 'voucher-service',
    role: 'voucher',
    port: 4104,
    callers: {
      'partner-gateway': [
        'GET /internal/partners/:partnerId/:environment/voucher-groups',
        'GET /internal/partners/:partnerId/:environment/coupons',
        'POST /internal/partners/:partnerId/:environment/coupons',
        'GET /internal/partners/:partnerId/voucher-groups',
        'POST /internal/partners/:partnerId/voucher-groups',
        'PATCH /internal/voucher-groups/:groupId',
        'GET /internal/statistics',
        'POST /internal/statistics/recount',
      ],
    },
    seed: { partners: 'seed.json', file: 'voucher-seed.json' },
  },
  {
    name: 'idp-api',
    role: 'idp',
    port: 4105,
    routes: [{ prefix: '/idp/array/users' }],
    docs: ['/idp-docs'],
    callers: {
      'idp-support': [
        'POST /internal/support/users/search',
        'GET /internal/support/users/:krn',
        'PATCH /internal/support/users/:krn',
        'DELETE /internal/support/users/:krn',
        'POST /internal/support/users/:krn/enroll',
        'POST /internal/support/users/:krn/unlock',
        'GET /internal/support/users/:krn/story',
      ],
    },
    encryptsFields: true,
  },
  {
    name: 'discovery',
    role: 'discovery',
    port: 4106,
    routes: [{ prefix: '/ids2' }],
    docs: ['/ids2-docs'],
    // The seed has no options: it reads its sample data from apps/discovery/seed.
    seed: {},
  },
  {
    name: 'idp-support',
    role: 'support',
    port: 4107,
    routes: [{ prefix: '/idp/support' }],
    docs: ['/support-docs'],
  },
];

/** Redirects of the addresses that pages had before the docs were one site. Bookmarks and e-mails may still contain these addresses. */
const MOVED = {
  '/manager-docs': '/docs/reference/manager',
  '/idp-docs': '/docs/reference/client',
  '/support-docs': '/docs/reference/support',
  '/ids2-docs': '/docs/reference/discovery',
  '/guide': '/docs/partner-guide',
  '/client-guide': '/docs/client-guide',
};

/**
 * The programs that only serve files to browsers. They have no database, no events and no migration. With `npm start`, the edge serves the
 * same files.
 *
 * @type {readonly import('./apps').SiteRow[]}
 */
exports.SITES = [
  { name: 'console', port: 8080, routes: [{ prefix: '/console' }] },
  {
    name: 'docs',
    port: 8080,
    routes: [{ prefix: '/docs' }, ...Object.keys(MOVED).map((prefix) => ({ prefix, only: ['/'] }))],
    redirects: MOVED,
  },
];

/**
 * Returns the name of an app's variable. For example, `partner-gateway` and `PORT` give `PARTNER_GATEWAY_PORT`.
 *
 * @param {string} name
 * @param {'PORT' | 'URL'} suffix
 * @returns {string}
 */
exports.variableOf = (name, suffix) => `${name.toUpperCase().replaceAll('-', '_')}_${suffix}`;

/**
 * Returns the row of an app. Throws when there is no app of this name.
 *
 * @param {string} name
 * @returns {import('./apps').AppRow}
 */
exports.appOf = (name) => {
  const row = exports.APPS.find((app) => app.name === name);
  if (row === undefined) throw new Error(`there is no app "${name}"`);
  return row;
};

/** The name of the only caller that is not an app: the commands that the person on call runs. */
exports.OPERATOR = 'operator';

/**
 * The names of all programs that call internal routes. Each has a key of its own.
 *
 * @type {readonly string[]}
 */
exports.CALLERS = [...new Set(exports.APPS.flatMap(({ callers = {} }) => Object.keys(callers)))].sort();
