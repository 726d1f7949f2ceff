import { type PublicRoute, SITES } from '../../../apps/apps';
import { type EdgeConfig, PUBLIC_APPS } from './config';

/** A path prefix, and the app or site that serves it. */
export interface EdgeRoute {
  prefix: string;
  /** The paths below the prefix that exist; default: every path. */
  only?: string[];
  upstream: string;
  /** The maximum size of a body, in bytes. */
  bodyLimitBytes: number;
}

/** The only file of an API's documentation that its app serves. The docs site serves the pages. */
const DOCUMENT = ['/openapi.json'];

const DEFAULT_BODY_BYTES = 64 * 1024;

/** Returns the routes of the apps, from the table of apps. Only these paths and those of `siteRoutesOf` are forwarded. */
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
