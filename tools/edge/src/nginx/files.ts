import { PUBLIC_APPS } from '../config';
import { nginxConfig } from './nginx-config';

const PORT = 8080;

/** @param suffix appended to the names of the apps */
const upstreamsAt = (suffix: string): Record<string, string> =>
  Object.fromEntries(PUBLIC_APPS.map(({ name, port }) => [name, `${name}${suffix}:${port}`]));

/** The checked-in configurations, by path from the root of the repository. */
export const NGINX_FILES: Readonly<Record<string, () => string>> = {
  // Docker's own name server, which resolves the services of the compose file.
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

const configOf = (place: Parameters<typeof nginxConfig>[0]): string =>
  `# Written by npm run k8s, from apps/apps.js.\n${nginxConfig(place)}`;
