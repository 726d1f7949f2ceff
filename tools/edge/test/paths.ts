/**
 * Requests that the edge of `npm start` and nginx both forward: method, path, and the stand-in of the tests that
 * receives the request.
 */
export const SERVED_PATHS: [method: string, path: string, app: string][] = [
  ['GET', '/api/v2/partner/postback', 'partner-gateway'],
  ['PUT', '/api/v2/partner/subscription/revoke?subscriptionId=a%2Fb&x=1', 'partner-gateway'],
  ['GET', '/docs/openapi.json', 'partner-gateway'],
  ['GET', '/manager-docs/openapi.json', 'partner-gateway'],
  ['PATCH', '/admin/partners/1', 'partner-gateway'],
  ['DELETE', '/admin/tokens/a%2Fb%20c', 'partner-gateway'],
  ['GET', '/ids2/locations?protocols=lightway,proxy', 'partner-gateway'],
  ['GET', '/ids2/locations/us-nyc/instances', 'partner-gateway'],
  ['GET', '/ids2-docs/openapi.json', 'partner-gateway'],
  ['POST', '/idp/payments/webhook', 'webhook-ingest'],
  ['POST', '/idp/payments/webhook/plan-change', 'webhook-ingest'],
];

/** Paths that no edge forwards. */
export const UNSERVED_PATHS: string[] = [
  '/',
  '/internal/postback-configurations/1/live',
  '/metrics',
  '/livez',
  '/readyz',
  '/manager-docs/LICENSE',
  '/docs-yaml',
  '/docs/../manager-docs',
  '/administrator',
  '/api/v2/partners',
  '/api/v2/partner/../../internal',
  '/api/v2/partner/%2e%2e/%2e%2e/internal',
  '/api/v2/partner/%2E./internal',
  '/api/v2/partner/..%2f..%2finternal',
  '/api/v2/partner/..%5c..%5cinternal',
  '/api/v2/partner/..\\internal',
  '/api/v2/partner//internal',
  '/api/v2/partner/./postback',
  '/admin/..;/internal/../../internal',
  '/admin/a%00b',
  '//internal',
  '//127.0.0.1/internal',
  '/idp/payments/webhook/../../internal',
  '/idp/payments/webhook/internal',
  '/idp/payments/webhooks',
  '/ids2-docs/LICENSE',
  '/ids22/locations',
];
