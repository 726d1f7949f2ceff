import { APPS, type AppRow, type PublicRoute, SITES, type SiteRow } from '../../../../apps/apps';
import type { Manifest } from './kafka';

/** The host of the base URL, which overlays replace. */
const HOST = 'tandem.example.com';

/** The header by which the gateway makes browsers use only HTTPS. An ingress controller adds it through its own setting. */
const HSTS = { name: 'Strict-Transport-Security', value: 'max-age=31536000; includeSubDomains' };

interface PathMatch {
  readonly path: string;
  readonly exact: boolean;
}

/** Returns the paths of a route: everything below its prefix or, if the route has `only`, exactly these paths. */
const pathsOf = ({ prefix, only }: PublicRoute): PathMatch[] =>
  only
    ? only.map((path) => ({ path: path === '/' ? prefix : prefix + path, exact: true }))
    : [{ path: prefix, exact: false }];

const publicPathsOf = ({ routes = [], docs = [] }: Pick<AppRow, 'routes' | 'docs'>): PathMatch[] =>
  [...routes, ...docs.map((prefix) => ({ prefix, only: ['/openapi.json'] }))].flatMap(pathsOf);

/** The apps and sites that serve a path prefix. */
const PUBLIC: readonly (AppRow | SiteRow)[] = [...APPS.filter((app) => publicPathsOf(app).length > 0), ...SITES];

/** Returns an Ingress with all paths of the base URL. */
export const ingress = (): Manifest[] => [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'tandem' },
    spec: {
      tls: [{ hosts: [HOST], secretName: 'tandem-tls' }],
      rules: [
        {
          host: HOST,
          http: {
            paths: PUBLIC.flatMap((program) =>
              publicPathsOf(program).map(({ path, exact }) => ({
                path,
                pathType: exact ? 'Exact' : 'Prefix',
                backend: { service: { name: program.name, port: { name: 'http' } } },
              })),
            ),
          },
        },
      ],
    },
  },
];

/** Returns one HTTPRoute for each public app and site, so that a team can apply its route with its other manifests. */
export const httpRoutes = (): Manifest[] =>
  PUBLIC.map((program) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: program.name, labels: { 'app.kubernetes.io/name': program.name } },
    spec: {
      parentRefs: [{ name: 'tandem' }],
      hostnames: [HOST],
      rules: [
        {
          matches: publicPathsOf(program).map(({ path, exact }) => ({
            path: { type: exact ? 'Exact' : 'PathPrefix', value: path },
          })),
          // Removes the limit for a whole answer, which some gateways have by default, because an export takes minutes.
          timeouts: { request: '0s' },
          filters: [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [HSTS] } }],
          backendRefs: [{ name: program.name, port: program.port }],
        },
      ],
    },
  }));
