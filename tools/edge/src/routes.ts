import type { EdgeConfig } from './config';

/** How a product tells its callers about an error. */
export type ErrorFormat = 'problem' | 'error';

/** One part of the base URL and the app that serves it. */
export interface EdgeRoute {
  prefix: string;
  /** Paths below the prefix that exist; everything when left out. */
  only?: string[];
  upstream: string;
  errors: ErrorFormat;
  /** Largest body that the app behind it takes, bytes. */
  bodyLimitBytes: number;
}

/** A page on an API, what it loads, and the document itself. */
const DOCS = [
  '/',
  '/openapi.json',
  '/swagger-ui-init.js',
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
];

const PARTNER_BODY_BYTES = 64 * 1024;
const WEBHOOK_BODY_BYTES = 256 * 1024;

/** The whole map of the base URL: what is not here is never forwarded. */
export const routesOf = (config: EdgeConfig): EdgeRoute[] => [
  {
    prefix: '/api/v2/partner',
    upstream: config.partnerGatewayUrl,
    errors: 'problem',
    bodyLimitBytes: PARTNER_BODY_BYTES,
  },
  {
    prefix: '/docs',
    only: DOCS,
    upstream: config.partnerGatewayUrl,
    errors: 'problem',
    bodyLimitBytes: PARTNER_BODY_BYTES,
  },
  {
    prefix: '/manager-docs',
    only: DOCS,
    upstream: config.partnerGatewayUrl,
    errors: 'problem',
    bodyLimitBytes: PARTNER_BODY_BYTES,
  },
  { prefix: '/admin', upstream: config.partnerGatewayUrl, errors: 'problem', bodyLimitBytes: PARTNER_BODY_BYTES },
  {
    prefix: '/idp/payments/webhook',
    only: ['/', '/plan-change'],
    upstream: config.webhookIngestUrl,
    errors: 'error',
    bodyLimitBytes: WEBHOOK_BODY_BYTES,
  },
];
