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
}

/** The whole map of the base URL: what is not here is never forwarded. */
export const routesOf = (config: EdgeConfig): EdgeRoute[] => [
  { prefix: '/api/v2/partner', upstream: config.partnerGatewayUrl, errors: 'problem' },
  { prefix: '/admin', upstream: config.partnerGatewayUrl, errors: 'problem' },
  { prefix: '/idp/payments/webhook', only: ['/', '/plan-change'], upstream: config.webhookIngestUrl, errors: 'error' },
];
