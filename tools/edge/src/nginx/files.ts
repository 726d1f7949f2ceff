import { SITES } from '../../../../apps/apps';
import { PUBLIC_APPS } from '../config';
import { consoleNginxConfig } from './console-config';
import { docsNginxConfig } from './docs-config';
import { nginxConfig } from './nginx-config';
import type { SitePlace } from './site-config';

const PORT = 8080;

/** Returns `host:port` of each public app and site. @param suffix appended to the name of the app or site */
const upstreamsAt = (suffix: string): Record<string, string> =>
  Object.fromEntries([...PUBLIC_APPS, ...SITES].map(({ name, port }) => [name, `${name}${suffix}:${port}`]));

/** The checked-in configurations of the edge, by path from the root of the repository. */
export const NGINX_FILES: Readonly<Record<string, () => string>> = {
  // The resolver is Docker's own name server, which knows the services of docker-compose.yml.
  'tools/edge/nginx.conf': () =>
    configOf({ port: PORT, upstreams: upstreamsAt(''), resolver: '127.0.0.11', folder: '/tmp' }),
  'k8s/overlays/local/outside/nginx.conf': () =>
    configOf({
      port: PORT,
      upstreams: upstreamsAt('.tandem-local.svc.cluster.local'),
      resolver: 'kube-dns.kube-system.svc.cluster.local',
      folder: '/tmp',
    }),
};

/** The paths of the checked-in configurations of nginx in the images of the sites. */
export const CONSOLE_NGINX_FILE = 'apps/console/image/nginx.conf';
export const DOCS_NGINX_FILE = 'apps/docs/image/nginx.conf';

/** All generated configurations of nginx, by path from the root of the repository. */
export const GENERATED_NGINX_FILES: Readonly<Record<string, () => string>> = {
  ...NGINX_FILES,
  [CONSOLE_NGINX_FILE]: () => siteConfigOf('console', consoleNginxConfig),
  [DOCS_NGINX_FILE]: () => siteConfigOf('docs', docsNginxConfig),
};

const siteConfigOf = (site: string, config: (place: SitePlace) => string): string =>
  `# Written by npm run k8s, from tools/edge/src/nginx/${site}-config.ts.\n${config({
    port: SITES.find(({ name }) => name === site)?.port as number,
    files: '/usr/share/nginx/html',
    folder: '/tmp',
  })}`;

const configOf = (place: Parameters<typeof nginxConfig>[0]): string =>
  `# Written by npm run k8s, from apps/apps.js.\n${nginxConfig(place)}`;
