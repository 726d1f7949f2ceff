import { type PublicRoute, SITES } from '../../../apps/apps';
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

/** Returns the routes of the apps, from the table of apps. Except for the routes of sites, no other path is forwarded. */
export const routesOf = ({ upstreams }: Pick<EdgeConfig, 'upstreams'>): EdgeRoute[] =>
  PUBLIC_APPS.flatMap(({ name, routes = [], docs = [] }) =>
    edgeRoutes([...routes, ...docs.map((prefix): PublicRoute => ({ prefix, only: DOCS }))], upstreams[name] as string),
  );

/** Returns the routes of sites. `npm start` does not use them, because its edge serves the files itself. */
export const siteRoutesOf = ({ upstreams }: Pick<EdgeConfig, 'upstreams'>): EdgeRoute[] =>
  SITES.flatMap(({ name, routes }) => edgeRoutes(routes, upstreams[name] as string));

const edgeRoutes = (routes: readonly PublicRoute[], upstream: string): EdgeRoute[] =>
  routes.map(({ prefix, only, bodyLimitBytes = DEFAULT_BODY_BYTES }) => ({
    prefix,
    ...(only && { only: [...only] }),
    upstream,
    bodyLimitBytes,
  }));
