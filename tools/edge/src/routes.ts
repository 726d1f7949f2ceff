import type { PublicRoute } from '../../../apps/apps';
import { type EdgeConfig, PUBLIC_APPS } from './config';

/** A part of the base URL and the app that serves it. */
export interface EdgeRoute {
  prefix: string;
  /** The paths below the prefix that exist; default: every path. */
  only?: string[];
  upstream: string;
  /** Maximum body size of the app, bytes. */
  bodyLimitBytes: number;
}

/** An API's documentation page, the files that it loads, and the document itself. */
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

const DEFAULT_BODY_BYTES = 64 * 1024;

/** Returns all routes of the base URL from the table of apps. No other path is forwarded. */
export const routesOf = ({ upstreams }: EdgeConfig): EdgeRoute[] =>
  PUBLIC_APPS.flatMap(({ name, routes = [], docs = [] }) =>
    [...routes, ...docs.map((prefix): PublicRoute => ({ prefix, only: DOCS }))].map(
      ({ prefix, only, bodyLimitBytes = DEFAULT_BODY_BYTES }) => ({
        prefix,
        ...(only && { only: [...only] }),
        upstream: upstreams[name] as string,
        bodyLimitBytes,
      }),
    ),
  );
