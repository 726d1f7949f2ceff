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

/** What apps serve of an API's documentation. The pages are those of the docs site. */
const DOCUMENT = ['/openapi.json'];

const DEFAULT_BODY_BYTES = 64 * 1024;

/** Returns the routes of the apps, from the table of apps. Except for the routes of sites, no other path is forwarded. */
export const routesOf = ({ upstreams }: Pick<EdgeConfig, 'upstreams'>): EdgeRoute[] =>
  PUBLIC_APPS.flatMap(({ name, routes = [], docs = [] }) =>
    edgeRoutes(
      [...routes, ...docs.map((prefix): PublicRoute => ({ prefix, only: DOCUMENT }))],
      upstreams[name] as string,
    ),
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
