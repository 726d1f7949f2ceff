import { MEDIA_CACHE, PAGE_CACHE } from '../console-headers';
import { bodyOf, type EdgeError } from '../errors';
import { ERRORS, indented, REQUEST_MAPS, temporaryFolders } from './nginx-parts';

/** Where nginx serves a site. */
export interface SitePlace {
  readonly port: number;
  /** The folder that contains the built files in a subfolder with the name of the site, such as `console`. */
  readonly files: string;
  /** The only folder that nginx can write. */
  readonly folder: string;
}

/** The parts of the configuration that differ between sites. */
export interface SiteParts {
  readonly place: SitePlace;
  /** The folder of the files whose names contain a hash of their content. */
  readonly assets: string;
  /** Directives of the `http` block, ending with a line break. Default: none */
  readonly settings?: string;
  /** `map` blocks, ending with a line break. Default: none */
  readonly maps?: string;
  /** The headers of every answer; a value may contain variables. */
  readonly headers: Readonly<Record<string, string>>;
  readonly locations: string;
}

/** Returns the configuration of nginx in the image of a site. */
export const siteNginxConfig = ({
  place: { port, files, folder },
  assets,
  settings = '',
  maps = '',
  headers,
  locations,
}: SiteParts): string => `worker_processes 1;
# Paths of requests can contain the ids of users, and the error log would contain these paths.
error_log stderr crit;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
${indented(TYPES)}
  default_type application/octet-stream;
  sendfile on;
  # Each text file has a compressed copy next to it.
  gzip_static on;
  gzip_vary on;
  absolute_redirect off;

  client_header_timeout 10s;
  client_body_timeout 3s;
  send_timeout 30s;
  keepalive_timeout 75s;
  large_client_header_buffers 4 16k;
  client_max_body_size 1k;
${indented(temporaryFolders(folder))}

${indented(settings)}${indented(REQUEST_MAPS)}
${indented(maps)}  # The names of assets contain a hash of their content. Everything else may be replaced at any time.
  map "$status $uri" $cache {
    "~^(?:200|206|304) ${assets}" "${MEDIA_CACHE}";
    default "${PAGE_CACHE}";
  }
  map $status $allowed {
    405 "GET, HEAD";
    default "";
  }

  server {
    listen ${port};
    root ${files};
    # These headers apply only in locations without an add_header of their own: a location that has one inherits none of them.
${indented(headerLines(headers), 4)}
${indented(ERRORS.map(({ causes, error }) => `error_page ${causes} =${error.status} /.errors/${error.status};`).join('\n'), 4)}
    if ($request_method !~ ^(GET|HEAD)$) { return 405; }
    location / { return 404; }
    # The probes of the platform; no edge routes to them.
    location = /livez { return 200; }
    location = /readyz { return 200; }
${indented(locations, 4)}
${indented(ERRORS.map(({ error }) => errorLocation(error)).join('\n'), 4)}
  }
}
`;

/** The content types. Those of texts include the charset, because nginx itself would add it only to uncompressed answers. */
const TYPES = `types {
  "text/html; charset=utf-8" html;
  "application/javascript; charset=utf-8" js;
  "text/css; charset=utf-8" css;
  "text/plain; charset=utf-8" txt;
  "application/json; charset=utf-8" map json;
  image/svg+xml svg;
  image/png png;
}`;

function headerLines(headers: Readonly<Record<string, string>>): string {
  const own = { 'cache-control': '$cache', allow: '$allowed', 'x-request-id': '$edge_request_id' };
  return Object.entries({ ...headers, ...own })
    .map(([name, value]) => `add_header ${name} "${value}" always;`)
    .join('\n');
}

const errorLocation = (error: EdgeError): string => {
  const { type, body } = bodyOf(error, { id: '$edge_request_id', url: '$error_path' });
  return `location = /.errors/${error.status} {
  internal;
  default_type ${type};
  return ${error.status} '${body}';
}`;
};
