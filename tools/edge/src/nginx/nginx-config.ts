import { bodyOf, type EdgeError, OWN_HEADERS } from '../errors';
import { type EdgeRoute, routesOf, siteRoutesOf } from '../routes';
import { AMBIGUOUS_PATHS, ERRORS, HTTP_SETTINGS, indented, MAPS, temporaryFolders } from './nginx-parts';

/** Where the proxy runs. */
export interface ProxyPlace {
  readonly port: number;
  /** `host:port` of each app that serves a path prefix, and of each site, by its name. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** The name server; its answers are valid for 5 s, because a replaced container may have a new address. */
  readonly resolver?: string;
  /** The only folder that nginx can write. */
  readonly folder: string;
}

/** Returns the configuration of nginx as the edge, with exactly the routes in the table of apps and sites. */
export const nginxConfig = (place: ProxyPlace): string => `worker_processes 2;
error_log stderr warn;
pid ${place.folder}/nginx.pid;
events { worker_connections 4096; }
http {
${indented(HTTP_SETTINGS)}
${indented(temporaryFolders(place.folder))}
${place.resolver === undefined ? '' : `  resolver ${place.resolver} valid=5s ipv6=off;\n  resolver_timeout 2s;\n`}
${indented(MAPS)}

  server {
    listen ${place.port};
${indented(ERRORS.map(({ causes, error }) => `error_page ${causes} =${error.status} /.errors/$error_form/${error.status};`).join('\n'), 4)}
    location / { return 404; }
${indented([...routesOf(place), ...siteRoutesOf(place)].map(locationsOf).join('\n'), 4)}
${indented(ERRORS.flatMap(({ error }) => [errorLocation('plain', error), errorLocation('problem', error)]).join('\n'), 4)}
  }
}
`;

/** Returns the locations of a route. Without `only`, a prefix matches the path itself and everything below it, after a slash. */
function locationsOf({ prefix, only, upstream, bodyLimitBytes }: EdgeRoute): string {
  const paths = only
    ? only.flatMap((path) => (path === '/' ? [`= ${prefix}`, `= ${prefix}/`] : [`= ${prefix}${path}`]))
    : [`= ${prefix}`, `${prefix}/`];
  return paths
    .map(
      (path) => `location ${path} {
  ${AMBIGUOUS_PATHS}
  client_max_body_size ${bodyLimitBytes};
  set $app ${upstream};
  proxy_pass http://$app;
}`,
    )
    .join('\n');
}

/** Returns the location that answers with an error of the edge, in one of the two forms. */
function errorLocation(form: 'plain' | 'problem', error: EdgeError): string {
  const url = form === 'plain' ? '/idp' : '$error_path';
  const { type, body } = bodyOf(error, { id: '$edge_request_id', url });
  const headers = { ...OWN_HEADERS, ...error.headers, 'x-request-id': '$edge_request_id' };
  return `location = /.errors/${form}/${error.status} {
  internal;
  client_max_body_size 0;
  default_type ${type};
${Object.entries(headers)
  .map(([name, value]) => `  add_header ${name} "${value}" always;`)
  .join('\n')}
  add_header strict-transport-security $hsts always;
  return ${error.status} '${body}';
}`;
}
